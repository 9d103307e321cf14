import {
  ACCOUNT_HEADER,
  ACCOUNT_PREFIX,
  ALGORITHM,
  DNS_SERVER,
  SCHEME
} from '../../../src/cli/common-options.ts'
import { HELP_OPTION, type OptionSpecs } from '../../../src/cli/help.ts'

const { default: headerDefault, ...HEADER } = ACCOUNT_HEADER
const { default: prefixDefault, ...ID_PREFIX } = ACCOUNT_PREFIX

/** Without default values: an option that is not given may be in the environment or in the file. */
export const GATEWAY_OPTIONS = {
  upstream: {
    type: 'string',
    value: 'URL',
    about: 'where verified requests go, required, such as http://127.0.0.1:9000'
  },
  domain: {
    type: 'string',
    value: 'NAME',
    about: "the service's domain, which keys must be under, required"
  },
  host: { type: 'string', multiple: true, value: 'NAME', about: 'a host name of the receiver, required' },
  account: { type: 'string', multiple: true, value: 'ID', about: 'an account id to accept, required' },
  'account-header': { ...HEADER, otherwise: headerDefault },
  'account-prefix': { ...ID_PREFIX, otherwise: prefixDefault },
  scheme: SCHEME,
  algorithm: ALGORITHM,
  'dns-server': DNS_SERVER,
  listen: {
    type: 'string',
    value: 'IP:PORT',
    about: 'where to listen for requests',
    otherwise: '127.0.0.1:8080'
  },
  'tls-key': { type: 'string', value: 'FILE', about: 'serve HTTPS with this private key, PEM' },
  'tls-cert': { type: 'string', value: 'FILE', about: 'and this certificate with its chain, PEM' },
  https: {
    type: 'string',
    value: 'WHAT',
    about:
      'without --tls-key: "x-forwarded-proto" trusts that header of the proxy in front; "always": everything ' +
      'arrives over TLS; "not-required": plain HTTP is accepted'
  },
  replay: {
    type: 'string',
    value: 'WHERE',
    about: 'remember requests in memory, or none',
    otherwise: 'memory'
  },
  redis: {
    type: 'string',
    value: 'URL',
    about: 'remember them in Redis; not as an argument if it has a password'
  },
  postgres: { type: 'string', value: 'URL', about: 'remember them in PostgreSQL; the same applies' },
  observe: { type: 'boolean', about: 'forward every request, marked with its verdict: nothing is refused' },
  log: { type: 'string', value: 'FORM', about: 'json, or text, which explains refusals', otherwise: 'json' },
  admin: { type: 'string', value: 'IP:PORT', about: 'serve /healthz, /metrics and the page here' },
  redact: { type: 'boolean', about: 'show no bodies and no headers that are not signed on the page' },
  'max-body': { type: 'string', value: 'BYTES', about: 'the largest body', otherwise: '10485760' },
  'max-connections': { type: 'string', value: 'N', about: 'connections at once', otherwise: '1000' },
  'upstream-timeout': {
    type: 'string',
    value: 'MS',
    about: 'how long the upstream may take to begin its answer, or pause in it',
    otherwise: '30000'
  },
  drain: {
    type: 'string',
    value: 'MS',
    about: 'how long running requests may take after SIGTERM',
    otherwise: '10000'
  },
  config: {
    type: 'string',
    value: 'FILE',
    about: 'JSON with these options, named without the leading dashes'
  },
  check: { type: 'boolean', about: 'only check the options' },
  help: HELP_OPTION
} as const satisfies OptionSpecs

/** Whole numbers: [default, least, most]. Times are milliseconds, as far as a timer goes. */
export const GATEWAY_NUMBERS = {
  'max-body': [10_485_760, 0, 2 ** 30],
  'max-connections': [1000, 1, 1_000_000],
  'upstream-timeout': [30_000, 1, 2 ** 31 - 1],
  drain: [10_000, 0, 2 ** 31 - 1]
} as const satisfies { [Name in keyof typeof GATEWAY_OPTIONS]?: readonly [number, number, number] }
