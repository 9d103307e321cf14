import { createHash } from 'node:crypto'
import type { Code } from '../../src/index.ts'
import { ED25519, ONE, RSA_1024, type TestKey, TWO } from '../vectors/build/keys.ts'
import { type Header, type Scheme, signingString, signText, type Times } from '../vectors/build/sign.ts'
import type { Random } from './random.ts'

export const NOW_SECONDS = 1795176000
export const ACCOUNTS = ['1234', '5678']
export const HOSTS = ['hooks.example.com', 'www.example.com']

/** The names in DNS. The last ones are somebody else's, who publishes a good key there. */
const KEYS: Readonly<Record<string, TestKey>> = {
  'one._domainkey.service.example': RSA_1024,
  'two._domainkey.service.example': ONE,
  'edwards.service.example': ED25519,
  'one._domainkey.evil.example': TWO,
  'one._domainkey.evilservice.example': TWO
}
const OUTSIDE = ['one._domainkey.evil.example', 'one._domainkey.evilservice.example']
const INSIDE = Object.keys(KEYS).filter(name => !OUTSIDE.includes(name))
export const RECORDS: ReadonlyMap<string, string> = new Map(
  Object.entries(KEYS).map(([name, key]) => [name, key.record])
)

const ALGORITHMS: Readonly<Record<string, readonly (readonly [algorithm: string, scheme: Scheme])[]>> = {
  'one._domainkey.service.example': [
    ['rsa-sha256', 'pkcs1-sha256'],
    ['rsa-sha256', 'pkcs1-sha256'],
    ['rsa-sha512', 'pkcs1-sha512']
  ],
  'two._domainkey.service.example': [
    ['rsa-sha256', 'pkcs1-sha256'],
    ['hs2019', 'pss-sha512']
  ],
  'edwards.service.example': [
    ['ed25519', 'ed25519'],
    ['hs2019', 'ed25519']
  ]
}

const RSA_SHA256 = [['rsa-sha256', 'pkcs1-sha256']] as const

/** What was signed: a verified request must be this one. */
export interface Signed {
  method: string
  target: string
  headers: Header[]
  /** the same, and what was signed for a header that is not there */
  signedHeaders: readonly Header[]
  body: Buffer
  https: boolean
  keyId: string
  algorithm: string
  covered: string[]
  times: Times
  signature: Buffer
  /** the id under which a replay store gets it */
  replayId: string
  /** why it must not be accepted even as it is */
  violation: Code | undefined
}

/** What is wrong with a request that is signed all the same. */
const VIOLATIONS = [
  'not-https',
  'date-too-old',
  'date-in-future',
  'date-malformed',
  'host-mismatch',
  'account-mismatch',
  'account-malformed',
  'coverage-insufficient',
  'coverage-repeated',
  'coverage-absent',
  'key-name-outside-domain',
  'digest-mismatch',
  'digest-unsupported',
  'digest-malformed'
] as const satisfies Code[]

const sha = (hash: string, data: Uint8Array): string => createHash(hash).update(data).digest('base64')

const DATES = {
  'date-too-old': 'Fri, 20 Nov 2026 11:54:59 GMT',
  'date-in-future': 'Fri, 20 Nov 2026 12:05:01 GMT',
  'date-malformed': 'Thu, 20 Nov 2026 12:00:00 GMT'
}

/** A request as the service might send it, in one of many ways; one in five should not be accepted. */
export function signSomething(random: Random): Signed {
  const violation = random.chance(0.2) ? random.pick(VIOLATIONS) : undefined
  const is = (code: Code): boolean => violation === code

  const method = random.pick(['POST', 'POST', 'PUT', 'GET', 'delete', 'M-SEARCH'])
  const target = random.pick(['/', '/hook?id=42', '/a/b%2Fc?x=1&y=2', '//x', '/caf\xe9', '/?'])
  const body = Buffer.from(
    random.pick(['', '{"a":1}', '{ "a": [1, 2] }\n', 'a=1&b=2', '\xff\x00\xfe']),
    'latin1'
  )
  const keyId = random.pick(is('key-name-outside-domain') ? OUTSIDE : INSIDE)
  const [algorithm, scheme] = random.pick(ALGORITHMS[keyId] ?? RSA_SHA256)

  const digests = {
    good: [
      `SHA-256=${sha('sha256', body)}`,
      `sha-512=${sha('sha512', body)}`,
      `SHA-256=${sha('sha256', body)},SHA-512=${sha('sha512', body)}`,
      `MD5=${sha('md5', body)}, Sha-256=${sha('sha256', body)}`
    ],
    'digest-mismatch': [
      `SHA-256=${sha('sha256', Buffer.from('another'))}`,
      `SHA-256=${sha('sha256', body)},SHA-512=${sha('sha512', Buffer.from('another'))}`,
      `SHA-512=${sha('sha512', Buffer.from('another'))},SHA-256=${sha('sha256', body)}`
    ],
    'digest-unsupported': [`MD5=${sha('md5', body)}`, `SHA=${sha('sha1', body)},foo=bar`],
    'digest-malformed': [`SHA-256=${sha('sha1', body)}`, 'SHA-256', `SHA-256=${sha('sha256', body)},`]
  }
  const date =
    (violation !== undefined && (DATES as Partial<Record<Code, string>>)[violation]) ||
    random.pick(GOOD_DATES)
  const account = is('account-malformed')
    ? '1234'
    : `account-${is('account-mismatch') ? '12345' : random.pick(ACCOUNTS)}`
  const digest = random.pick(digests[violation as keyof typeof digests] ?? digests.good)
  const headers: Header[] = random.shuffle([
    ['Host', is('host-mismatch') ? 'hooks.example.org' : random.pick(HOSTS)],
    ['Date', date],
    ['X-Service-ID', account],
    ['Digest', digest],
    ['Content-Length', String(body.length)],
    ['X-Nonce', random.pick(['n-1', 'n-2', ''])],
    ...(random.chance(0.5)
      ? ([
          ['X-Tag', random.pick(['a', 'a, b', 'x: y', '\xe9'])],
          ['x-tag', random.pick(['b', '', 'c "d"'])]
        ] as const)
      : [])
  ])

  const times: Times = {}
  const special: string[] = []
  for (const name of ['created', 'expires'] as const) {
    if (algorithm.startsWith('rsa') || !random.chance(0.4)) continue
    times[name] = NOW_SECONDS + random.below(300)
    special.push(`(${name})`)
  }
  const names = [...new Set(headers.map(([name]) => name.toLowerCase()))]
  const needed = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
  const optional = [...names.filter(name => !needed.includes(name)), ...special].filter(() =>
    random.chance(0.7)
  )
  const list = [...needed, ...optional]
  if (is('coverage-insufficient')) list.splice(random.below(needed.length), 1)
  if (is('coverage-repeated')) list.push(random.pick(list))
  if (is('coverage-absent')) list.push(random.pick(['x-absent', 'constructor', '__proto__', 'cookie']))
  const covered = random.shuffle(list)

  const there = is('coverage-absent')
    ? [...headers, [list.at(-1)!, random.pick(['', 'undefined'])] as const]
    : headers
  const signature = signText(
    signingString({ method, target, headers: there }, covered, times),
    KEYS[keyId]!,
    scheme
  )
  return {
    method,
    target,
    headers,
    signedHeaders: there,
    body,
    https: !is('not-https'),
    keyId,
    algorithm,
    covered,
    times,
    signature,
    replayId: sha('sha256', signature),
    violation
  }
}

const GOOD_DATES = [
  'Fri, 20 Nov 2026 12:00:00 GMT',
  'Fri, 20 Nov 2026 11:55:00 GMT',
  'Friday, 20-Nov-26 12:04:59 GMT',
  'Fri Nov 20 12:01:00 2026'
]
