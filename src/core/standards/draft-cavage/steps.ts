import { decodeBase64 } from '../../http/base64.ts'
import { type Digest, parseEncodedDigests } from '../../http/digest.ts'
import { hasBreak, isToken, parseFields, trimWhiteSpace } from '../../http/fields.ts'
import type { ReceivedRequest } from '../../http/request.ts'
import { fail, ok, type Result } from '../../result/result.ts'
import { parseSharedSignature } from './signature-header.ts'
import { joinSigningString } from './signing-string.ts'

// The steps for callers of the package: each result belongs to the caller.

/** The parameters of a `Signature` header (draft-cavage-http-signatures-12 section 2.1). */
export interface SignatureParameters {
  /** as sent; the verifier takes it as a DNS name */
  keyId: string
  /** in the case that it was sent in */
  algorithm?: string
  /** the covered names, lower case, in the order of the signing string */
  headers: string[]
  /** decoded */
  signature: Uint8Array
  /** seconds since 1970 */
  created?: number
  /** seconds since 1970; it may have decimals */
  expires?: number
}

/**
 * Parses the value of a `Signature` header, as in draft-cavage-http-signatures-12 section 4.1: `name="value"` pairs
 * (bare numbers for created and expires) in any order, separated by commas. Names are compared without case, unknown
 * parameters are ignored, and a repeated one is an error. Never throws.
 *
 * Fails with `signature-malformed`, `signature-parameter-missing`, `signature-parameter-repeated` or
 * `signature-not-base64`.
 *
 * @example
 * const signature = parseSignatureHeader('keyId="one._domainkey.service.example",headers="host date",signature="AAAA"')
 * if (signature.ok) signature.value.headers // ['host', 'date']
 */
export function parseSignatureHeader(value: string): Result<SignatureParameters> {
  const parsed = parseSharedSignature(trimWhiteSpace(value))
  if (!parsed.ok) return parsed
  const { keyId, algorithm, headers, signature, created, expires } = parsed.value
  const result: SignatureParameters = { keyId, headers: [...headers], signature: new Uint8Array(signature) }
  if (algorithm !== undefined) result.algorithm = algorithm
  if (created !== undefined) result.created = created
  if (expires !== undefined) result.expires = expires
  return ok(result)
}

/** The times that `(created)` and `(expires)` stand for, in seconds since 1970. */
export interface SigningStringParameters {
  created?: number | undefined
  expires?: number | undefined
}

/**
 * Builds the signing string of draft-cavage-http-signatures-12 section 2.3 for the covered names, which may be in any
 * case. Never throws for what a sender can send.
 *
 * Fails with `request-malformed` (a line break in a part, or a method that is not a token: with a space in it, it could
 * pose as a part of the target), `coverage-absent` (a name that the request does not have) or
 * `signature-parameter-missing` (`(created)` or `(expires)` without its parameter).
 *
 * @example
 * buildSigningString(request, ['(request-target)', 'host'])
 * // { ok: true, value: '(request-target): post /hook\nhost: hooks.example.com' }
 */
export function buildSigningString(
  request: Pick<ReceivedRequest, 'method' | 'target' | 'headers'>,
  covered: readonly string[],
  parameters: SigningStringParameters = {}
): Result<string> {
  if (!isToken(request.method)) return fail('request-malformed', { part: 'method' })
  if (hasBreak(request.target)) return fail('request-malformed', { part: 'target' })
  const fields = parseFields(request.headers)
  if (!fields.ok) return fields
  const names = covered.map(name => name.toLowerCase())
  return joinSigningString(request, fields.value, names, parameters)
}

/**
 * Parses the value of a `Digest` header (RFC 3230 section 4.3.2): `algorithm=value` instances separated by commas.
 * Names are compared without case. SHA-256 and SHA-512 must be canonical base64 of the right length. Unknown algorithms
 * are kept: decoded if the value is base64, else as the bytes of the text. Never throws.
 *
 * Fails with `digest-malformed`.
 *
 * @example
 * const digests = parseDigestHeader('SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=')
 * if (digests.ok) digests.value[0]?.algorithm // 'sha-256'
 */
export function parseDigestHeader(value: string): Result<readonly Digest[]> {
  const digests = parseEncodedDigests(value)
  if (!digests.ok) return digests
  return ok(
    digests.value.map(({ algorithm, encoded }) => ({
      algorithm,
      value: new Uint8Array(decodeBase64(encoded) ?? Buffer.from(encoded, 'latin1'))
    }))
  )
}
