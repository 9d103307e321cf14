import { createHash, hash } from 'node:crypto'
import { type Failed, fail, ok, type Result } from '../result/result.ts'
import { type Fields, lowerCaseName, trimWhiteSpace } from './fields.ts'

/** One instance of a `Digest` header: the algorithm's name in lower case, and the digest's bytes. */
export interface Digest {
  algorithm: string
  value: Uint8Array
}

/** A `Digest` with its value as it was written: canonical base64 for the supported digests. */
export interface EncodedDigest {
  algorithm: string
  encoded: string
}

/**
 * The supported digests (RFC 5843 section 2.2), by lower-case name. Each has one form, the canonical base64 of
 * 32 or 64 bytes (RFC 4648 section 3.5): in the last character before the padding, the bits left over are zero.
 */
export const DIGESTS: ReadonlyMap<string, { hash: 'sha256' | 'sha512'; pattern: RegExp }> = new Map([
  ['sha-256', { hash: 'sha256', pattern: /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/ }],
  ['sha-512', { hash: 'sha512', pattern: /^[A-Za-z0-9+/]{85}[AQgw]==$/ }]
])

/** SHA-256 and SHA-512 of nothing. */
export const EMPTY_DIGESTS: readonly string[] = [
  '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  'z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=='
]

/** Other digests are visible ASCII without quotes or commas (RFC 3230 section 4.2 leaves the rest to the algorithm). */
const OTHER_DIGEST = /^[\x21\x23-\x2b\x2d-\x7e]+$/

/** There are fewer algorithms. It limits the work that untrusted input can cause. */
const MAX_INSTANCES = 100

/** Parses the value of a `Digest` header (RFC 3230 section 4.3.2) without decoding: in the end text is compared. */
export function parseEncodedDigests(value: string): Result<readonly EncodedDigest[]> {
  const instances = value.includes(',') ? value.split(',', MAX_INSTANCES + 1) : [value]
  if (instances.length > MAX_INSTANCES) return malformed(value, `there are more than ${MAX_INSTANCES} digests`)

  const digests: EncodedDigest[] = []
  for (const instance of instances) {
    const text = trimWhiteSpace(instance)
    const equals = text.indexOf('=')
    const algorithm = lowerCaseName(text.slice(0, Math.max(equals, 0)))
    if (algorithm === undefined) return malformed(value, 'an algorithm, an equals sign and a value are expected')

    const encoded = text.slice(equals + 1)
    const pattern = DIGESTS.get(algorithm)?.pattern ?? OTHER_DIGEST
    if (!pattern.test(encoded))
      return malformed(value, `a ${algorithm} digest is not canonical base64 of the right length`)
    digests.push({ algorithm, encoded })
  }
  return ok(digests)
}

const malformed = (received: string, reason: string): Failed => fail('digest-malformed', { received, reason })

/** Headers with a digest of another standard, which does not count. */
const SIMILAR = ['Digest', 'Content-Digest', 'Repr-Digest', 'Content-MD5']

/** Returns the header of a request that has a digest, where the expected one is missing. */
export const similarDigest = ({ values }: Fields): string | undefined =>
  SIMILAR.find(name => values.has(name.toLowerCase()))

/** Returns the base64 of a body's digest; `crypto.hash` does it in one call where the runtime has it. */
export const base64Digest: (algorithm: 'sha256' | 'sha512', data: Uint8Array) => string =
  typeof hash === 'function'
    ? (algorithm, data) => hash(algorithm, data, 'base64')
    : (algorithm, data) => createHash(algorithm).update(data).digest('base64')
