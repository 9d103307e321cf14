import { SHARED, type SharedName, UNSHARED } from '../../../flags/table.ts'
import type { GatewayFlag, GatewayFlags, Values } from './command.ts'
import { address, bytes, headerName, milliseconds, prefix, wholeNumber } from './parse.ts'

const REQUIRED = { isRequired: true } as const

/** The flags of the library's options, which are the same in the commands of `signed-requests`. */
export const VERIFIER = {
  serviceDomain: { ...SHARED.serviceDomain, ...REQUIRED },
  hosts: { ...SHARED.hosts, ...REQUIRED },
  accounts: { ...SHARED.accounts, ...REQUIRED },
  accountHeader: SHARED.accountHeader,
  accountPrefix: SHARED.accountPrefix,
  schemes: SHARED.schemes,
  algorithms: SHARED.algorithms,
  dateTolerance: SHARED.dateTolerance,
  alsoCovered: SHARED.alsoCovered,
  minRsaBits: SHARED.minRsaBits,
  maxRsaBits: SHARED.maxRsaBits,
  maxBodyBytes: { ...SHARED.maxBodyBytes, ...bytes },
  bodyTimeout: SHARED.bodyTimeout,
  servers: SHARED.servers,
  url: SHARED.url,
  requireAuthenticated: SHARED.requireAuthenticated,
  lookupTimeout: SHARED.lookupTimeout,
  replayTimeout: SHARED.replayTimeout,
  https: { ...SHARED.https, about: `without --tls-key: ${SHARED.https.about}` }
} as const satisfies { readonly [N in SharedName]?: GatewayFlag }

/** What every command that verifies needs. */
const COMMON = {
  ...VERIFIER,
  prefix: { ...UNSHARED.prefix, about: 'what the proxy in front strips, or x-forwarded-prefix', ...prefix },
  listen: {
    flag: 'listen',
    kind: 'text',
    value: 'IP:PORT',
    about: 'where to listen',
    preset: '127.0.0.1:8080',
    ...address
  },
  log: {
    flag: 'log',
    kind: 'text',
    value: 'FORM',
    choices: ['json', 'text'],
    about: 'json, or text, which explains refusals',
    preset: 'json'
  },
  maxConnections: {
    flag: 'max-connections',
    kind: 'text',
    value: 'N',
    about: 'how many at once',
    preset: '1000',
    ...wholeNumber('', 1, 1_000_000)
  },
  drain: {
    flag: 'drain',
    kind: 'text',
    value: 'MS',
    about: 'for running requests after SIGTERM',
    preset: '10000',
    ...milliseconds(0)
  }
} as const satisfies GatewayFlags

const CHECK = {
  flag: 'check',
  kind: 'switch',
  about: 'only check the options',
  isCommandLineOnly: true
} as const

/** The databases that remember requests. */
const STORES = {
  sqlite: {
    flag: 'sqlite',
    kind: 'text',
    value: 'FILE',
    about: 'or in a file of SQLite (Node.js 22.13 or later), for a restart',
    excludes: ['replay', 'redis', 'postgres']
  },
  redis: {
    flag: 'redis',
    kind: 'text',
    value: 'URL',
    about: 'or in Redis; not as an argument if it has a password',
    excludes: ['replay', 'postgres']
  },
  postgres: {
    flag: 'postgres',
    kind: 'text',
    value: 'URL',
    about: 'or in PostgreSQL; the same applies',
    excludes: ['replay']
  }
} as const satisfies GatewayFlags

/** The flags of the gateway. */
export const GATEWAY = {
  upstream: {
    flag: 'upstream',
    kind: 'text',
    value: 'URL',
    about: 'where verified requests go, such as http://127.0.0.1:9000',
    ...REQUIRED
  },
  ...COMMON,
  accounts: {
    ...SHARED.accounts,
    about: `${SHARED.accounts.about}; with --observe it may be missing`,
    requiredWithout: 'observe'
  },
  tlsKey: {
    flag: 'tls-key',
    kind: 'text',
    value: 'FILE',
    about: 'serve HTTPS with this private key, PEM',
    excludes: ['https']
  },
  tlsCert: {
    flag: 'tls-cert',
    kind: 'text',
    value: 'FILE',
    about: 'and this certificate with its chain, PEM'
  },
  replay: {
    flag: 'replay',
    kind: 'text',
    value: 'WHERE',
    choices: ['memory', 'none'],
    about: 'remember requests in memory, or none',
    preset: 'memory'
  },
  ...STORES,
  observe: {
    flag: 'observe',
    kind: 'switch',
    about: 'forward every request, marked with its verdict: nothing is refused'
  },
  refusalStatus: {
    flag: 'refusal-status',
    kind: 'text',
    value: 'STATUS',
    about: 'answer with this status what is refused: 503 asks the sender to try again',
    ...wholeNumber('', 400, 599)
  },
  requestId: {
    flag: 'request-id',
    kind: 'text',
    value: 'NAME',
    about: 'log the id in this header of the proxy in front',
    ...headerName
  },
  admin: {
    flag: 'admin',
    kind: 'text',
    value: 'IP:PORT',
    about: 'serve /healthz, /metrics and the page here',
    ...address
  },
  redact: {
    flag: 'redact',
    kind: 'switch',
    about: 'show no bodies and no headers that are not signed on the page'
  },
  upstreamTimeout: {
    flag: 'upstream-timeout',
    kind: 'text',
    value: 'MS',
    about: 'until an answer begins, or goes on',
    preset: '30000',
    ...milliseconds(1)
  },
  check: CHECK
} as const satisfies GatewayFlags

/** The flags of `authorize`. */
export const AUTHORIZE = {
  from: {
    flag: 'from',
    kind: 'text',
    value: 'WHERE',
    choices: ['as-is', 'x-forwarded'],
    about:
      'where the original method, target and Host are: as-is, in the request that asks (Envoy, nginx, APISIX); ' +
      'x-forwarded, in its X-Forwarded-* headers (Traefik)',
    ...REQUIRED
  },
  ...COMMON,
  replay: {
    flag: 'replay',
    kind: 'switch',
    about: 'refuse repetitions: claim each request, in memory, or in --sqlite, --redis or --postgres'
  },
  sqlite: {
    ...STORES.sqlite,
    about: 'with --replay: claim in a file of SQLite (Node.js 22.13 or later), for a restart',
    excludes: ['redis', 'postgres']
  },
  redis: {
    ...STORES.redis,
    about: 'with --replay: claim in Redis; not as an argument if it has a password',
    excludes: ['postgres']
  },
  postgres: {
    ...STORES.postgres,
    about: 'with --replay: claim in PostgreSQL; the same applies',
    excludes: []
  },
  check: CHECK
} as const satisfies GatewayFlags

export type CommonValues = Values<typeof COMMON>
