import { type Flags, omit, type Values } from '../../../flags/flag.ts'
import { SHARED, UNSHARED } from '../../../flags/table.ts'
import { address, bytes, headerName, milliseconds, prefix, wholeNumber } from './parse.ts'

const REQUIRED = { isRequired: true } as const

/** The flags of the library's options, the same as in the commands of `signed-requests`. requireHttps is in --https. */
export const VERIFIER = {
  ...omit(SHARED, 'requireHttps'),
  serviceDomain: { ...SHARED.serviceDomain, ...REQUIRED },
  hosts: { ...SHARED.hosts, ...REQUIRED },
  accounts: { ...SHARED.accounts, ...REQUIRED },
  maxBodyBytes: { ...SHARED.maxBodyBytes, ...bytes }
} as const

/** Flags that every command that verifies needs. */
const COMMON = {
  ...VERIFIER,
  prefix: { ...UNSHARED.prefix, about: 'the path that the proxy in front strips, or x-forwarded-prefix', ...prefix },
  listen: {
    flag: 'listen',
    kind: 'text',
    value: 'IP:PORT',
    about: 'the address to listen on',
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
    about: 'concurrent connections allowed',
    preset: '1000',
    ...wholeNumber('', 1, 1_000_000)
  },
  drainDelay: {
    flag: 'drain-delay',
    kind: 'text',
    value: 'MS',
    about: 'keep accepting connections for this long after SIGTERM, until balancers have noticed',
    preset: '2000',
    ...milliseconds(0)
  },
  drain: {
    flag: 'drain',
    kind: 'text',
    value: 'MS',
    about: 'how long running requests may take after that',
    preset: '10000',
    ...milliseconds(0)
  }
} as const satisfies Flags

const CHECK = {
  flag: 'check',
  kind: 'switch',
  about: 'check the options and the replay store, and start nothing',
  isCommandLineOnly: true
} as const

/** The databases that remember requests. */
const STORES = {
  sqlite: {
    flag: 'sqlite',
    kind: 'text',
    value: 'FILE',
    about: 'remember requests in this SQLite file, across restarts (Node.js 22.13 or later)',
    excludes: ['replay', 'redis', 'postgres']
  },
  redis: {
    flag: 'redis',
    kind: 'text',
    value: 'URL',
    about: 'remember requests in Redis; put a URL with a password in the environment',
    excludes: ['replay', 'postgres']
  },
  redisReplicas: {
    flag: 'redis-replicas',
    kind: 'text',
    value: 'N',
    about: 'with --redis: let a request in only when so many replicas know of it',
    ...wholeNumber('', 1, 100)
  },
  postgres: {
    flag: 'postgres',
    kind: 'text',
    value: 'URL',
    about: 'remember requests in PostgreSQL; put a URL with a password in the environment',
    excludes: ['replay']
  }
} as const satisfies Flags

/** The flags of the gateway. */
export const GATEWAY = {
  upstream: {
    flag: 'upstream',
    kind: 'text',
    value: 'URL',
    about: 'the application that gets verified requests, such as http://127.0.0.1:9000',
    ...REQUIRED
  },
  ...COMMON,
  accounts: {
    ...SHARED.accounts,
    about: `${SHARED.accounts.about}; with --observe it may be missing`,
    requiredWithout: 'observe'
  },
  https: { ...SHARED.https, about: `without --tls-key: ${SHARED.https.about}` },
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
    about: 'the certificate for --tls-key, with its chain, PEM'
  },
  replay: {
    flag: 'replay',
    kind: 'text',
    value: 'WHERE',
    choices: ['memory', 'none'],
    about: 'memory, to remember requests and refuse repetitions, or none',
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
    about: 'answer refused requests with this status: 503 asks the sender to try again',
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
  adminToken: {
    flag: 'admin-token',
    kind: 'text',
    about: 'the token of the page, which --admin needs on an address that is not loopback',
    isVariableOnly: true
  },
  redact: {
    flag: 'redact',
    kind: 'switch',
    about: 'leave bodies and unsigned headers out of the page'
  },
  upstreamTimeout: {
    flag: 'upstream-timeout',
    kind: 'text',
    value: 'MS',
    about: 'how long the application may take until its response begins, and between two parts of it',
    preset: '30000',
    ...milliseconds(1)
  },
  check: CHECK
} as const satisfies Flags

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
    about: 'refuse repetitions: claim each request, in memory or in --sqlite, --redis or --postgres'
  },
  sqlite: {
    ...STORES.sqlite,
    about: 'with --replay: claim in this SQLite file, across restarts (Node.js 22.13 or later)',
    excludes: ['redis', 'postgres']
  },
  redis: {
    ...STORES.redis,
    about: 'with --replay: claim in Redis; put a URL with a password in the environment',
    excludes: ['postgres']
  },
  redisReplicas: STORES.redisReplicas,
  postgres: {
    ...STORES.postgres,
    about: 'with --replay: claim in PostgreSQL; put a URL with a password in the environment',
    excludes: []
  },
  check: CHECK
} as const satisfies Flags

export type CommonValues = Values<typeof COMMON>
