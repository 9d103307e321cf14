import { createHash } from 'node:crypto'
import { ED25519, ONE, RSA_1024, type TestKey, TWO } from '../../fixtures/source/keys.ts'
import { type Header, type Scheme, signText, type Times } from '../../fixtures/source/sign.ts'
import type { Code } from '../../src/index.ts'
import type { Random } from './random.ts'

export const NOW_SECONDS = 1795176000
export const ACCOUNTS = ['1234', '5678']
export const HOSTS = ['hooks.example.com', 'www.example.com']

const EDWARDS = 'edwards.service.example'
/** The names in DNS. The last ones belong to another domain, whose owner publishes a good key there. */
const KEYS: Readonly<Record<string, TestKey>> = {
  'one._domainkey.service.example': RSA_1024,
  'two._domainkey.service.example': ONE,
  [EDWARDS]: ED25519,
  'one._domainkey.evil.example': TWO,
  'one._domainkey.evilservice.example': TWO
}
const OUTSIDE = ['one._domainkey.evil.example', 'one._domainkey.evilservice.example']
const INSIDE = Object.keys(KEYS).filter(name => !OUTSIDE.includes(name))
export const RECORDS: ReadonlyMap<string, string> = new Map(
  Object.entries(KEYS).map(([name, key]) => [name, key.record])
)

/** A verified request must be the same as this signed one. */
export type Signed = SignedByDraft | SignedByRfc9421

interface SignedRequest {
  method: string
  target: string
  headers: Header[]
  body: Buffer
  https: boolean
  keyId: string
  algorithm: string
  /** as it is listed, in any case of letters; by RFC 9421 the identifiers with their quotes */
  covered: string[]
  signature: Buffer
  /** the id that a replay store gets */
  replayId: string
  /** the reason why it must not be accepted even unchanged */
  violation: Code | undefined
}

export interface SignedByDraft extends SignedRequest {
  scheme: 'draft-cavage'
  /** the headers, and the signed value of an absent one */
  signedHeaders: readonly Header[]
  times: Times
}

export interface SignedByRfc9421 extends SignedRequest {
  scheme: 'rfc9421'
  /** the lines of the signature base, identifier and value, without the last */
  lines: readonly Header[]
  /** the signature's parameters as they are written */
  params: readonly Header[]
}

/** A request may break these rules and be signed all the same. */
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

type Violation = (typeof VIOLATIONS)[number]

const GOOD_DATES = [
  'Fri, 20 Nov 2026 12:00:00 GMT',
  'Fri, 20 Nov 2026 11:55:00 GMT',
  'Friday, 20-Nov-26 12:04:59 GMT',
  'Fri Nov 20 12:01:00 2026'
]
const BAD_DATES: Partial<Record<Violation, string>> = {
  'date-too-old': 'Fri, 20 Nov 2026 11:54:59 GMT',
  'date-in-future': 'Fri, 20 Nov 2026 12:05:01 GMT',
  'date-malformed': 'Thu, 20 Nov 2026 12:00:00 GMT'
}

const hashOf = (hash: string, data: Uint8Array): string => createHash(hash).update(data).digest('base64')

/**
 * Picks the parts that both standards have; one request in five should not be accepted.
 *
 * @param digestHeader the name of the header
 * @param member one digest in it, as the standard writes it
 */
export function pickParts(random: Random, digestHeader: string, member: (name: string, digest: string) => string) {
  const violation = random.chance(0.2) ? random.pick(VIOLATIONS) : undefined
  const is = (code: Violation): boolean => violation === code
  const sent = {
    violation,
    method: random.pick(['POST', 'POST', 'PUT', 'GET', 'DELETE', 'M-SEARCH']),
    body: Buffer.from(random.pick(['', '{"a":1}', '{ "a": [1, 2] }\n', 'a=1&b=2', '\xff\x00\xfe']), 'latin1'),
    keyId: random.pick(is('key-name-outside-domain') ? OUTSIDE : INSIDE),
    https: !is('not-https')
  }
  const host = is('host-mismatch') ? 'hooks.example.org' : random.pick(HOSTS)
  const account = is('account-malformed')
    ? '1234'
    : `account-${is('account-mismatch') ? '12345' : random.pick(ACCOUNTS)}`
  const digests = digestsOf(sent.body, member)
  const tags = [random.pick(['a', 'a, b', 'x: y', '\xe9']), random.pick(['b', '', 'c "d"'])]
  const headers: Header[] = [
    ['Host', random.pick([host, host.toUpperCase(), `${host}:443`])],
    ['Date', (violation && BAD_DATES[violation]) ?? random.pick(GOOD_DATES)],
    ['X-Service-ID', account],
    [digestHeader, random.pick(digests[violation as keyof typeof digests] ?? digests.good)],
    ['Content-Length', String(sent.body.length)],
    ['X-Nonce', random.pick(['n-1', 'n-2', ''])],
    ...(random.chance(0.5) ? tags : []).map((tag): Header => ['X-Tag', tag])
  ]
  return { sent, is, host, headers }
}

function digestsOf(body: Buffer, member: (name: string, digest: string) => string) {
  const one = (hash: string, data: Uint8Array = body) => member(hash.replace('sha', 'sha-'), hashOf(hash, data))
  const another = Buffer.from('another')
  return {
    good: [one('sha256'), one('sha512'), `${one('sha256')},${one('sha512')}`, `${one('md5')}, ${one('sha256')}`],
    'digest-mismatch': [
      one('sha256', another),
      `${one('sha256')}, ${one('sha512', another)}`,
      `${one('sha512', another)},${one('sha256')}`
    ],
    'digest-unsupported': [one('md5'), `${one('sha1')},${member('foo', 'AA==')}`],
    'digest-malformed': [member('sha-256', hashOf('sha1', body)), 'sha-256', `${one('sha256')},`]
  }
}

const SCHEMES: Readonly<Record<string, Scheme>> = {
  'rsa-sha256': 'pkcs1-sha256',
  'rsa-sha512': 'pkcs1-sha512',
  'rsa-v1_5-sha256': 'pkcs1-sha256',
  hs2019: 'pss-sha512',
  'rsa-pss-sha512': 'pss-sha512'
}

/** Signs with the algorithm of this name; an Ed25519 key has only one algorithm, whatever the name. */
export function signAs(algorithm: string, keyId: string, text: string): { signature: Buffer; replayId: string } {
  const signature = signText(text, KEYS[keyId]!, keyId === EDWARDS ? 'ed25519' : SCHEMES[algorithm]!)
  return { signature, replayId: hashOf('sha256', signature) }
}
