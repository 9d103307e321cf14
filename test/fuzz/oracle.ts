import type { Header } from '../../fixtures/source/sign.ts'
import type { Code, Verdict, Verified } from '../../src/index.ts'
import { RECORDS, type Signed, type SignedByDraft, type SignedByRfc9421 } from './signed.ts'
import { canonicalOf, memberOf } from './structured.ts'

/** A request that arrived, with the body as bytes. */
export interface Arrived {
  method: string
  target: string
  headers: readonly Header[]
  body: Buffer
  https: boolean
}

/**
 * Compares a verified request with the signed one semantically: undefined when they are the same, else the difference.
 * Parses the request with code of its own.
 */
export function difference(
  verdict: Verdict,
  arrived: Arrived,
  records: ReadonlyMap<string, readonly string[]>,
  signed: readonly Signed[]
): string | undefined {
  if (verdict.status !== 'verified') return undefined
  const original = signed.find(({ replayId }) => replayId === verdict.replayId)
  if (original === undefined) return 'nobody made this signature'
  if (!isMendable(original.violation)) return `it was signed, but ${original.violation}`

  if (verdict.scheme !== original.scheme) return 'the standard'
  const published = (records.get(verdict.keyId) ?? []).join().replace(/\s/g, '')
  const isPublished = published.includes(keyOf(original.keyId))
  if (!verdict.keyId.endsWith('.service.example') || !isPublished) return 'the key'
  if (!arrived.https) return 'it came without TLS'
  const own =
    original.scheme === 'rfc9421'
      ? differenceByRfc9421(verdict, arrived, original)
      : differenceByDraft(verdict, arrived, original)
  if (own !== undefined) return own
  if (!arrived.body.equals(original.body) || !original.body.equals(verdict.body)) return 'the body'
  if (`account-${verdict.accountId}` !== joinedValue(original.headers, 'x-service-id')) return 'the account'
  return undefined
}

function differenceByDraft(verdict: Verified, arrived: Arrived, original: SignedByDraft): string | undefined {
  const names = original.covered.map(name => name.toLowerCase())
  if (verdict.coveredHeaders.join() !== names.join()) return 'the covered list'
  // Neither the header's algorithm nor the keyId is signed: with an Ed25519 key both algorithm names mean the same, and
  // the key itself counts, wherever in the domain it is published.
  const isEd25519 = original.signature.length === 64
  if (verdict.algorithm !== original.algorithm && !isEd25519) return 'the algorithm'
  if (arrived.method !== original.method) return 'the method'
  if (arrived.target !== original.target) return 'the target'
  for (const name of names.filter(covered => !covered.startsWith('('))) {
    if (joinedValue(arrived.headers, name) !== joinedValue(original.signedHeaders, name)) return `the header ${name}`
  }
  for (const name of ['created', 'expires'] as const) {
    const received = new RegExp(`(?:^|,)[ \\t]*${name}[ \\t]*=[ \\t]*([\\d.]+)`, 'i').exec(
      joinedValue(arrived.headers, 'signature') ?? ''
    )?.[1]
    if (names.includes(`(${name})`) && received !== String(original.times[name])) return name
  }
  const nonce = names.includes('x-nonce') ? joinedValue(original.signedHeaders, 'x-nonce') : undefined
  return verdict.nonce === nonce ? undefined : 'the nonce'
}

function differenceByRfc9421(
  verdict: Verified,
  arrived: Arrived,
  { covered, lines, params, keyId, algorithm }: SignedByRfc9421
): string | undefined {
  const names = covered.map(identifier => identifier.replace(/^"([^"]*)"/, '$1'))
  if (verdict.coveredHeaders.join() !== names.join()) return 'the covered list'
  // All parameters are signed.
  if (verdict.keyId !== keyId) return 'the name of the key'
  if (verdict.algorithm !== algorithm) return 'the algorithm'
  for (const [identifier, value] of lines) {
    if (componentValue(arrived, identifier) !== value) return `the component ${identifier}`
  }
  const { nonce, created } = Object.fromEntries(params)
  const signedNonce =
    nonce === undefined ? lines.find(([name]) => name === '"x-nonce"')?.[1] : (JSON.parse(nonce) as string)
  if (verdict.nonce !== signedNonce) return 'the nonce'
  const isCreated = verdict.date.getTime() === Number(created) * 1000
  return names.includes('date') || isCreated ? undefined : 'the time'
}

/** Returns the value of a component of a request (RFC 9421 section 2), for those that are signed here. */
function componentValue({ method, target, headers, https }: Arrived, identifier: string): string | undefined {
  const [, name = '', parameter = ''] = /^"([^"]*)"(.*)$/.exec(identifier) ?? []
  const [, start = '', path, query = '?'] = /^(https:\/\/[^/?]*)?([^?]*)(\?.*)?$/s.exec(target) ?? []
  const authority = joinedValue(headers, 'host')?.toLowerCase().replace(/:443$/, '')
  const values = new URLSearchParams(query).getAll(parameter.slice(';name="'.length, -1))
  const derived: Readonly<Record<string, string | undefined>> = {
    '@method': method,
    '@request-target': target,
    '@target-uri': start === '' ? `https://${authority}${target}` : target,
    '@authority': authority,
    '@scheme': https ? 'https' : 'http',
    '@path': path,
    '@query': query,
    '@query-param': values.length === 1 ? values[0] : undefined
  }
  if (name.startsWith('@')) return derived[name]
  const value = joinedValue(headers, name)
  const key = /^;key="(.*)"$/.exec(parameter)?.[1]
  if (key !== undefined) return memberOf(value ?? '', key)
  if (parameter === ';sf') return canonicalOf(value ?? '')
  if (parameter === '') return value
  return valuesOf(headers, name)
    .map(value => `:${Buffer.from(value, 'latin1').toString('base64')}:`)
    .join(', ')
}

/**
 * Returns the code of the limit that this request exceeds: a receiver refuses it, though it may still be what was
 * signed. What is parsed before the signature has verified is bounded in characters and separators.
 */
export function codeOfLimit({ target, headers }: Arrived, signed: Signed): Code | undefined {
  if (signed.scheme !== 'rfc9421') return undefined
  const input = valuesOf(headers, 'signature-input').join(', ')
  if (isAbove(input, 1536, 104)) return 'signature-malformed'
  const parsed = signed.covered.filter(identifier => identifier.includes(';'))
  const names = new Set(parsed.map(identifier => identifier.split('"')[1]!))
  const texts = [...names].map(name => (name === '@query-param' ? target : joinedValue(headers, name)))
  if (parsed.length === 0) return undefined
  return parsed.length > 8 || isAbove([input, ...texts].join(), 1024, 55) ? 'coverage-absent' : undefined
}

const isAbove = (text: string, length: number, separators: number): boolean =>
  text.length > length || (text.match(/[,; ]/g) ?? []).length > separators

/** A change on the way can repair these without touching signed text; such a request is compared like the rest. */
const isMendable = (violation: Signed['violation']): boolean =>
  violation === undefined || ['not-https', 'coverage-absent', 'key-name-outside-domain'].includes(violation)

/** Returns the value of p= that is published at a name. */
const keyOf = (name: string): string => RECORDS.get(name)!.split('p=')[1]!

const valuesOf = (headers: readonly Header[], name: string): string[] =>
  headers.filter(([header]) => header.toLowerCase() === name).map(([, value]) => value.replace(/^[ \t]+|[ \t]+$/g, ''))

/** Joins all values of a name as draft-cavage-http-signatures-12 section 2.3 and RFC 9421 section 2.1 do. */
function joinedValue(headers: readonly Header[], name: string): string | undefined {
  const values = valuesOf(headers, name)
  return values.length === 0 ? undefined : values.join(', ')
}
