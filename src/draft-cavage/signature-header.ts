import { decodeBase64 } from '../http/base64.ts'
import { lowerCaseName, trimWhiteSpace } from '../http/fields.ts'
import { memoFew } from '../memo.ts'
import { fail, ok, type Result } from '../verdict/result.ts'
import { malformed, parseParameters } from './parameters.ts'
import { SPECIAL_NAMES } from './signing-string.ts'

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
  /** seconds since 1970 */
  expires?: number
}

/** More than any sender needs; it limits the work that a stranger can cause. */
const MAX_COVERED = 100

/**
 * Parses the value of a `Signature` header, as in draft-cavage-http-signatures-12 section 4.1: `name="value"` pairs
 * (bare integers for created and expires) in any order, separated by commas. Names are case-sensitive, unknown
 * parameters are ignored, any parameter twice is an error. Never throws.
 *
 * Fails with `signature-malformed`, `signature-parameter-missing`, `signature-parameter-repeated` or
 * `signature-not-base64`.
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

/** The same without copies: requests that cover the same names share one list of them. */
export interface SharedSignature extends SharedParameters {
  readonly signature: Uint8Array
}

/** Everything except the signature itself. */
interface SharedParameters {
  readonly keyId: string
  readonly algorithm: string | undefined
  readonly headers: readonly string[]
  readonly created: number | undefined
  readonly expires: number | undefined
}

/** Parses a value without outer white space. */
export function parseSharedSignature(text: string): Result<SharedSignature> {
  const start = text.slice(0, text.indexOf(LAST) + LAST.length)
  const isUsual = start.endsWith(LAST) && start.length <= MAX_START && text.endsWith('"')
  const parameters = isUsual ? parseStart(start) : undefined
  const signature = parameters && decodeSignature(text.slice(start.length, -1))
  if (parameters === undefined || signature === undefined) return parseWhole(text)
  const { keyId, algorithm, headers, created, expires } = parameters
  return ok({ keyId, algorithm, headers, signature, created, expires })
}

const LAST = 'signature="'

/** Several times what a sender writes; a longer start is not remembered. */
const MAX_START = 1024

/**
 * The parameters of a header that ends in its signature, remembered by the text before the signature: a sender repeats
 * that text, and only the signature is new. Base64 has no quote and no backslash, so the signature cannot change the
 * meaning of the text before it. Undefined when anything is wrong. Saves 5 % of a verification.
 */
const parseStart = memoFew((start: string): SharedParameters | undefined => {
  const parameters = parseParameters(`${start}"`)
  if (!parameters.ok || [...parameters.value].at(-1)?.join('=') !== 'signature=') return undefined
  const shared = parseKnown(parameters.value)
  return shared.ok ? shared.value : undefined
})

function parseWhole(text: string): Result<SharedSignature> {
  const parameters = parseParameters(text)
  if (!parameters.ok) return parameters
  const shared = parseKnown(parameters.value)
  if (!shared.ok) return shared
  const signature = decodeSignature(parameters.value.get('signature')!)
  return signature === undefined ? fail('signature-not-base64') : ok({ ...shared.value, signature })
}

function parseKnown(parameters: ReadonlyMap<string, string>): Result<SharedParameters> {
  const keyId = parameters.get('keyId')
  if (keyId === undefined) return fail('signature-parameter-missing', { parameter: 'keyId' })
  if (!parameters.has('signature')) return fail('signature-parameter-missing', { parameter: 'signature' })

  const list = parameters.get('headers')
  const headers = list === undefined ? ONLY_CREATED : parseCoveredNames(list)
  if (headers === undefined) return malformed(0, 'headers is not a list of header names')
  return ok({
    keyId,
    algorithm: parameters.get('algorithm'),
    headers,
    created: numberOf(parameters.get('created')),
    expires: numberOf(parameters.get('expires'))
  })
}

function decodeSignature(encoded: string): Uint8Array | undefined {
  const signature = decodeBase64(encoded)
  return signature?.length === 0 ? undefined : signature
}

const ONLY_CREATED: readonly string[] = ['(created)']

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text)

/**
 * The covered list, section 2.1.6: names separated by one space; without it, `(created)`; an empty one is forbidden.
 * Undefined when it is not such a list.
 */
function parseCoveredNames(list: string): readonly string[] | undefined {
  const names: string[] = []
  for (const name of list.split(' ', MAX_COVERED + 1)) {
    const lower = lowerCaseName(name) ?? specialName(name)
    if (lower === undefined) return undefined
    names.push(lower)
  }
  return names.length > MAX_COVERED ? undefined : names
}

const specialName = (name: string): string | undefined =>
  SPECIAL_NAMES.find(special => special === name.toLowerCase())
