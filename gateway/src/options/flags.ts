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
  prefix: { ...UNSHARED.prefix, about: 'path prefix that your proxy strips, or x-forwarded-prefix', ...prefix },
  listen: {
    flag: 'listen',
    kind: 'text',
    value: 'IP:PORT',
    about: 'listen on this address',
    preset: '127.0.0.1:8080',
    ...address
  },
  log: {
    flag: 'log',
    kind: 'text',
    value: 'FORM',
    choices: ['json', 'text'],
    about: 'log as json, or as text with explanations',
    preset: 'json'
  },
  maxConnections: {
    flag: 'max-connections',
    kind: 'text',
    value: 'N',
    about: 'allow this many connections',
    preset: '1000',
    ...wholeNumber('', 1, 1_000_000)
  },
  drainDelay: {
    flag: 'drain-delay',
    kind: 'text',
    value: 'MS',
    about: 'after SIGTERM, keep accepting connections for this long, so that balancers notice',
    preset: '2000',
    ...milliseconds(0)
  },
  drain: {
    flag: 'drain',
    kind: 'text',
    value: 'MS',
    about: 'then wait this long for running requests',
    preset: '10000',
    ...milliseconds(0)
  }
} as const satisfies Flags

const CHECK = {
  flag: 'check',
  kind: 'switch',
  about: 'check the options and the replay store, start nothing',
  isCommandLineOnly: true
} as const

/** The databases that remember requests. */
const STORES = {
  sqlite: {
    flag: 'sqlite',
    kind: 'text',
    value: 'FILE',
    about: 'remember requests in this SQLite file (Node.js 22.13 or later)',
    excludes: ['replay', 'redis', 'postgres']
  },
  redis: {
    flag: 'redis',
    kind: 'text',
    value: 'URL',
    about: 'remember requests in Redis (a URL with a password: in the environment)',
    excludes: ['replay', 'postgres']
  },
  redisReplicas: {
    flag: 'redis-replicas',
    kind: 'text',
    value: 'N',
    about: 'with --redis: accept a request only when so many replicas have it',
    ...wholeNumber('', 1, 100)
  },
  postgres: {
    flag: 'postgres',
    kind: 'text',
    value: 'URL',
    about: 'remember requests in PostgreSQL (a URL with a password: in the environment)',
    excludes: ['replay']
  }
} as const satisfies Flags

/** The flags of the gateway. */
export const GATEWAY = {
  upstream: {
    flag: 'upstream',
    kind: 'text',
    value: 'URL',
    about: 'forward verified requests to this application, such as http://127.0.0.1:9000',
    ...REQUIRED
  },
  ...COMMON,
  accounts: { ...SHARED.accounts, requiredWithout: 'observe' },
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
    about: 'certificate for --tls-key, with its chain, PEM'
  },
  replay: {
    flag: 'replay',
    kind: 'text',
    value: 'WHERE',
    choices: ['memory', 'none'],
    about: 'remember requests in memory, to refuse replays; or none',
    preset: 'memory'
  },
  ...STORES,
  observe: {
    flag: 'observe',
    kind: 'switch',
    about: 'refuse nothing: forward every request, marked with its verdict'
  },
  refusalStatus: {
    flag: 'refusal-status',
    kind: 'text',
    value: 'STATUS',
    about: 'answer refused requests with this status (503: the sender should retry)',
    ...wholeNumber('', 400, 599)
  },
  requestId: {
    flag: 'request-id',
    kind: 'text',
    value: 'NAME',
    about: 'log the id in this header of your proxy',
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
    about: 'token of the page, which --admin needs on an address that is not loopback',
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
    about: 'wait this long for the response to begin, and between its parts',
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
      'read the original method, target and Host from: as-is, the request that asks (Envoy, nginx, APISIX); ' +
      'x-forwarded, its X-Forwarded-* headers (Traefik)',
    ...REQUIRED
  },
  ...COMMON,
  replay: {
    flag: 'replay',
    kind: 'switch',
    about: 'refuse replays: remember requests in memory, or in --sqlite, --redis or --postgres'
  },
  sqlite: {
    ...STORES.sqlite,
    about: 'with --replay: remember them in this SQLite file (Node.js 22.13 or later)',
    excludes: ['redis', 'postgres']
  },
  redis: {
    ...STORES.redis,
    about: 'with --replay: remember them in Redis (a URL with a password: in the environment)',
    excludes: ['postgres']
  },
  redisReplicas: STORES.redisReplicas,
  postgres: {
    ...STORES.postgres,
    about: 'with --replay: remember them in PostgreSQL (a URL with a password: in the environment)',
    excludes: []
  },
  check: CHECK
} as const satisfies Flags

export type CommonValues = Values<typeof COMMON>
