import { SHARED, UNSHARED } from '../../flags/table.ts'
import { DEFAULTS, isToken } from '../../src/internal/index.ts'
import { ENTRY_FLAG } from '../captures/choose-entry.ts'
import { ALLOW_SELF_SIGNED } from '../certificates.ts'
import { PRINTED_FORMS } from './print.ts'
import { FORGERY_NAMES, TAMPERINGS } from './tamper.ts'

/** The account id where neither a flag nor a capture has one. */
export const DEFAULT_ACCOUNT = '1234'

const SENDER = {
  serviceDomain: { ...SHARED.serviceDomain, about: 'sign with a key under this domain', preset: 'service.example' },
  selector: {
    flag: 'selector',
    kind: 'text',
    value: 'NAME',
    about: "first label of the key's name",
    preset: 'test'
  },
  host: {
    flag: SHARED.hosts.flag,
    kind: 'text',
    value: 'NAME',
    about: 'sign and send this Host',
    fallback: "the URL's"
  },
  account: {
    flag: SHARED.accounts.flag,
    kind: 'text',
    value: 'ID',
    about: 'sign this account id',
    fallback: `that of --request, else ${DEFAULT_ACCOUNT}`
  },
  accountHeader: { ...SHARED.accountHeader, preset: DEFAULTS.accountHeader },
  accountPrefix: { ...SHARED.accountPrefix, preset: DEFAULTS.accountPrefix },
  scheme: {
    ...SHARED.schemes,
    kind: 'text',
    about: 'sign by this standard: draft-cavage or rfc9421',
    preset: SHARED.schemes.fallback
  },
  alsoCovered: { ...SHARED.alsoCovered, about: 'sign this header, too' },
  dateTolerance: { ...SHARED.dateTolerance, about: 'warn if the Date is further from the clock of the receiver' }
} as const

const REQUEST = {
  request: {
    flag: 'request',
    kind: 'text',
    value: 'FILE',
    about: 'sign the request of this capture again, in any format of explain; - for standard input'
  },
  entry: { ...ENTRY_FLAG, needs: 'request' },
  prefix: UNSHARED.prefix,
  key: {
    flag: 'key',
    kind: 'text',
    value: 'FILE',
    about: 'sign with this RSA private key, PEM',
    fallback: 'a fresh one'
  },
  method: {
    flag: 'method',
    kind: 'text',
    value: 'NAME',
    about: 'method of the request',
    expects: 'the name of a method, such as POST',
    parse: (text: string) => (isToken(text) ? text : undefined),
    fallback: 'that of --request, else POST with --data, GET without'
  },
  data: {
    flag: 'data',
    kind: 'text',
    value: 'TEXT',
    about: 'body; @FILE for a file, @- for standard input',
    fallback: 'that of --request, else none'
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
    about: `send a forgery, changed after signing: ${FORGERY_NAMES.join(', ')}; or all, and then the good request`
  },
  repeat: {
    flag: 'repeat',
    kind: 'text',
    value: 'N',
    about: 'send the same bytes N times, to see replays refused',
    preset: '1'
  }
} as const

const RECEIVER = {
  serveDns: {
    flag: 'serve-dns',
    kind: 'text',
    value: 'IP:PORT',
    about: 'serve the key record on this loopback address'
  },
  start: {
    flag: 'start',
    kind: 'text',
    value: 'FILE',
    about:
      'start this receiver first, with PORT set to the port of the URL, and let it ask the DNS server of --serve-dns'
  },
  startPort: {
    flag: 'start-port',
    kind: 'number',
    value: 'N',
    needs: 'start',
    about: 'port of the receiver of --start, if URL is that of a proxy in front of it',
    fallback: 'that of the URL'
  },
  print: {
    flag: 'print',
    kind: 'text',
    value: 'FORM',
    choices: PRINTED_FORMS,
    about: `print the signed request as ${PRINTED_FORMS.join(' or ')}, and send nothing`
  },
  printRecord: {
    flag: 'print-record',
    kind: 'switch',
    about: 'print the key record even with --serve-dns'
  },
  allowSelfSigned: ALLOW_SELF_SIGNED
} as const

export const FLAGS = { ...SENDER, ...REQUEST, ...RECEIVER } as const
