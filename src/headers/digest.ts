import { type Failed, fail, ok, type Result } from '../result.ts'
import { decodeBase64 } from './base64.ts'
import { isToken, trimWhiteSpace } from './fields.ts'

/** One instance of a `Digest` header: the algorithm's name in lower case, and the digest's bytes. */
export interface Digest {
  algorithm: string
  value: Uint8Array
}

/** The digests that count (RFC 5843 section 2.2), by lower-case name, with their length in bytes. */
export const DIGEST_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['sha-256', 32],
  ['sha-512', 64]
])

/** More than there are algorithms; it bounds the work that a stranger can ask for. */
const MAX_INSTANCES = 100

/**
 * Parses the value of a `Digest` header (RFC 3230 section 4.3.2): `algorithm=value` instances separated by commas.
 * Names are case-insensitive. SHA-256 and SHA-512 must be canonical base64 of the right length; unknown algorithms
 * are kept, decoded when their value is base64 and as the text's own bytes when it is not. Never throws.
 *
 * Fails with `digest-malformed`.
 */
export function parseDigestHeader(value: string): Result<readonly Digest[]> {
  const instances = value.split(',', MAX_INSTANCES + 1)
  if (instances.length > MAX_INSTANCES)
    return malformed(value, `there are more than ${MAX_INSTANCES} digests`)

  const digests: Digest[] = []
  for (const instance of instances) {
    const text = trimWhiteSpace(instance)
    const equals = text.indexOf('=')
    const name = text.slice(0, Math.max(equals, 0))
    if (!isToken(name)) return malformed(value, 'an algorithm, an equals sign and a value are expected')

    const algorithm = name.toLowerCase()
    const encoded = text.slice(equals + 1)
    const bytes = decodeBase64(encoded)
    const length = DIGEST_LENGTHS.get(algorithm)
    if (length !== undefined && bytes?.length !== length) {
      return malformed(value, `${algorithm} is not ${length} bytes in canonical base64`)
    }
    if (!VALUE.test(encoded)) return malformed(value, 'a value has a character that no encoding uses')
    digests.push({ algorithm, value: bytes ?? Buffer.from(encoded, 'latin1') })
  }
  return ok(digests)
}

/** Encoded digests are visible ASCII without quotes or separators (RFC 3230 section 4.2 leaves it to the algorithm). */
const VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x7e]+$/

const malformed = (received: string, reason: string): Failed => fail('digest-malformed', { received, reason })
