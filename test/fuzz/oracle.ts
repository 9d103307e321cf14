import type { Verdict } from '../../src/index.ts'
import type { Header } from '../vectors/build/sign.ts'
import { RECORDS, type Signed } from './signed.ts'

/** What arrived, with the body as bytes. */
export interface Arrived {
  method: string
  target: string
  headers: readonly Header[]
  body: Buffer
  https: boolean
}

/**
 * Is a verified request semantically the one that was signed? Undefined when it is, else what is different. It reads
 * the request with code of its own.
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

  const names = original.covered.map(name => name.toLowerCase())
  if (verdict.coveredHeaders.join() !== names.join()) return 'the covered list'
  // The keyId is not signed: the key itself counts, wherever in the domain it is published.
  const published = (records.get(verdict.keyId) ?? []).join().replace(/\s/g, '')
  const isPublished = published.includes(keyOf(original.keyId))
  if (!verdict.keyId.endsWith('.service.example') || !isPublished) return 'the key'
  // The header's algorithm is not signed; with an Ed25519 key, both names mean the same.
  const isEd25519 = original.signature.length === 64
  if (verdict.algorithm !== original.algorithm && !isEd25519) return 'the algorithm'
  if (!arrived.https) return 'it came without TLS'
  if (arrived.method.toLowerCase() !== original.method.toLowerCase()) return 'the method'
  if (arrived.target !== original.target) return 'the target'
  for (const name of names.filter(each => !each.startsWith('('))) {
    if (joinedValue(arrived.headers, name) !== joinedValue(original.signedHeaders, name))
      return `the header ${name}`
  }
  for (const name of ['created', 'expires'] as const) {
    const received = new RegExp(`(?:^|,)[ \\t]*${name}=(\\d+)`).exec(
      joinedValue(arrived.headers, 'signature') ?? ''
    )?.[1]
    if (names.includes(`(${name})`) && received !== String(original.times[name])) return name
  }
  if (!arrived.body.equals(original.body) || !original.body.equals(verdict.body)) return 'the body'
  if (`account-${verdict.accountId}` !== joinedValue(original.signedHeaders, 'x-service-id'))
    return 'the account'
  const nonce = names.includes('x-nonce') ? joinedValue(original.signedHeaders, 'x-nonce') : undefined
  if (verdict.nonce !== nonce) return 'the nonce'
  return undefined
}

/** What can be put right on the way without touching what is signed; it is compared below like the rest. */
const isMendable = (violation: Signed['violation']): boolean =>
  violation === undefined || ['not-https', 'coverage-absent', 'key-name-outside-domain'].includes(violation)

/** The value of p= that is published at a name. */
const keyOf = (name: string): string => RECORDS.get(name)!.split('p=')[1]!

/** All values of a name, joined as in draft-cavage-http-signatures-12 section 2.3. */
function joinedValue(headers: readonly Header[], name: string): string | undefined {
  const values = headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value)
  return values.length === 0
    ? undefined
    : values.map(value => value.replace(/^[ \t]+|[ \t]+$/g, '')).join(', ')
}
