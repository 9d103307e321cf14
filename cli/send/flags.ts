import { SHARED, UNSHARED } from '../../flags/table.ts'
import { DEFAULTS } from '../../src/internal/index.ts'
import { ENTRY_FLAG } from '../captures/choose-entry.ts'
import { ALLOW_SELF_SIGNED } from '../certificates.ts'
import { PRINTED_FORMS } from './print.ts'
import { FORGERY_NAMES, TAMPERINGS } from './tamper.ts'

/** The account id where neither a flag nor a capture has one. */
export const DEFAULT_ACCOUNT = '1234'

const SENDER = {
  serviceDomain: { ...SHARED.serviceDomain, preset: 'service.example' },
  selector: {
    flag: 'selector',
    kind: 'text',
    value: 'NAME',
    about: "the first part of the key's name",
    preset: 'test'
  },
  host: {
    flag: SHARED.hosts.flag,
    kind: 'text',
    value: 'NAME',
    about: 'the Host to sign and send',
    fallback: "the URL's"
  },
  account: {
    flag: SHARED.accounts.flag,
    kind: 'text',
    value: 'ID',
    about: 'the account id',
    fallback: `that of --request, or else ${DEFAULT_ACCOUNT}`
  },
  accountHeader: { ...SHARED.accountHeader, preset: DEFAULTS.accountHeader },
  accountPrefix: { ...SHARED.accountPrefix, preset: DEFAULTS.accountPrefix },
  scheme: {
    ...SHARED.schemes,
    kind: 'text',
    about: 'the standard to sign by, draft-cavage or rfc9421',
    preset: SHARED.schemes.fallback
  },
  alsoCovered: { ...SHARED.alsoCovered, about: 'a header to sign besides those that the service signs' },
  dateTolerance: { ...SHARED.dateTolerance, about: 'how far the Date may be from the clock of the receiver' }
} as const

const REQUEST = {
  request: {
    flag: 'request',
    kind: 'text',
    value: 'FILE',
    about:
      'sign the request of this capture again: its method, target, headers and body; any format that explain reads, ' +
      '- for standard input'
  },
  entry: { ...ENTRY_FLAG, needs: 'request' },
  prefix: UNSHARED.prefix,
  key: { flag: 'key', kind: 'text', value: 'FILE', about: 'RSA private key, PEM', fallback: 'a fresh one' },
  method: {
    flag: 'method',
    kind: 'text',
    value: 'NAME',
    about: 'the method',
    fallback: 'that of --request, or else POST with --data, GET without'
  },
  data: {
    flag: 'data',
    kind: 'text',
    value: 'TEXT',
    about: 'the body; @FILE for a file, @- for standard input',
    fallback: 'that of --request, or else none'
  },
  header: {
    flag: 'header',
    kind: 'list',
    value: "'NAME: TEXT'",
    about: 'add or replace a header before signing'
  },
  tamper: {
    flag: 'tamper',
    kind: 'text',
    value: 'WHAT',
    choices: TAMPERINGS,
    about:
      `send a forgery: change this after signing, one of ${FORGERY_NAMES.join(', ')}; or all, which sends each ` +
      'forgery and then the good request'
  },
  repeat: {
    flag: 'repeat',
    kind: 'text',
    value: 'N',
    about: 'send the same bytes N times, to see the replay refused',
    preset: '1'
  }
} as const

const RECEIVER = {
  serveDns: {
    flag: 'serve-dns',
    kind: 'text',
    value: 'IP:PORT',
    about: 'serve the key record on this loopback address and port'
  },
  start: {
    flag: 'start',
    kind: 'text',
    value: 'FILE',
    about:
      'start this receiver first, and end it afterwards; it asks the DNS server of --serve-dns, and its variable ' +
      'PORT is the port of the URL'
  },
  startPort: {
    flag: 'start-port',
    kind: 'number',
    value: 'N',
    needs: 'start',
    about: 'the port on which the receiver of --start listens, for a URL of your own proxy in front of it',
    fallback: 'that of the URL'
  },
  print: {
    flag: 'print',
    kind: 'text',
    value: 'FORM',
    choices: PRINTED_FORMS,
    about: `print the signed request, as ${PRINTED_FORMS.join(' or ')}, and send nothing`
  },
  printRecord: {
    flag: 'print-record',
    kind: 'switch',
    about: 'print the key record, as is done without --serve-dns'
  },
  allowSelfSigned: ALLOW_SELF_SIGNED
} as const

export const FLAGS = { ...SENDER, ...REQUEST, ...RECEIVER } as const
