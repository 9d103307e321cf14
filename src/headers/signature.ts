import { fail, ok, type Result } from '../result.ts'
import { decodeBase64 } from './base64.ts'
import { lowerCaseName, trimWhiteSpace } from './fields.ts'
import { keepFew, rememberFew } from './remember.ts'
import { malformed, readParameters } from './signature-parameters.ts'

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

/** More than any sender has use for; it bounds the work that a stranger can ask for. */
const MAX_COVERED = 100

/**
 * Parses the value of a `Signature` header, as in draft-cavage-http-signatures-12 section 4.1: `name="value"` pairs
 * (bare integers for created and expires) in any order, separated by commas. Names are case-sensitive, unknown
 * parameters are ignored, any parameter twice is an error. Never throws.
 *
 * Fails with `signature-malformed`, `signature-parameter-missing`, `signature-parameter-repeated` or
 * `signature-encoding`.
 */
export function parseSignatureHeader(value: string): Result<SignatureParameters> {
  const read = readSignature(trimWhiteSpace(value))
  if (!read.ok) return read
  const { keyId, algorithm, headers, signature, created, expires } = read.value
  const result: SignatureParameters = { keyId, headers: [...headers], signature: new Uint8Array(signature) }
  if (algorithm !== undefined) result.algorithm = algorithm
  if (created !== undefined) result.created = created
  if (expires !== undefined) result.expires = expires
  return ok(result)
}

/** The same with nothing copied: requests that cover the same names share one list of them. */
export interface ReadSignature {
  readonly keyId: string
  readonly algorithm: string | undefined
  readonly headers: readonly string[]
  readonly signature: Uint8Array
  readonly created: number | undefined
  readonly expires: number | undefined
}

/** Reads a value without outer white space. */
export function readSignature(text: string): Result<ReadSignature> {
  for (const { start, read } of starts) {
    const signature = signatureAfter(start, text)
    if (signature === undefined) continue
    const { keyId, algorithm, headers, created, expires } = read
    return ok({ keyId, algorithm, headers, signature, created, expires })
  }
  return readAnew(text)
}

/**
 * The last few headers that ended in their signature, up to the signature's first character, and what they said. A
 * sender writes the same from request to request, and only the signature is new.
 */
const starts: { start: string; read: ReadSignature }[] = []

/** The signature that stands between this start and a last quote; no base64 has a quote in it, nor a backslash. */
const signatureAfter = (start: string, text: string): Uint8Array | undefined =>
  text.slice(0, start.length) === start && text.endsWith('"')
    ? decodeSignature(text.slice(start.length, -1))
    : undefined

function readAnew(text: string): Result<ReadSignature> {
  const parameters = readParameters(text)
  if (!parameters.ok) return parameters
  const keyId = parameters.value.get('keyId')
  const encoded = parameters.value.get('signature')
  if (keyId === undefined) return fail('signature-parameter-missing', { parameter: 'keyId' })
  if (encoded === undefined) return fail('signature-parameter-missing', { parameter: 'signature' })

  const list = parameters.value.get('headers')
  const headers = list === undefined ? ONLY_CREATED : readCoveredNames(list)
  if (headers === undefined) return malformed(0, 'headers is not a list of header names')
  const signature = decodeSignature(encoded)
  if (signature === undefined) return fail('signature-encoding')

  const algorithm = parameters.value.get('algorithm')
  const created = numberOf(parameters.value.get('created'))
  const expires = numberOf(parameters.value.get('expires'))
  const read = { keyId, algorithm, headers, signature, created, expires }
  if ([...parameters.value.keys()].at(-1) === 'signature') {
    keepFew(starts, { start: text.slice(0, -encoded.length - 1), read })
  }
  return ok(read)
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
const readCoveredNames = rememberFew((list: string): readonly string[] | undefined => {
  const names: string[] = []
  for (const name of list.split(' ', MAX_COVERED + 1)) {
    const lower = lowerCaseName(name) ?? specialName(name)
    if (lower === undefined) return undefined
    names.push(lower)
  }
  return names.length > MAX_COVERED ? undefined : names
})

/** Section 2.3: names that stand for something other than a header. */
const SPECIAL_NAMES = ['(request-target)', '(created)', '(expires)']

const specialName = (name: string): string | undefined =>
  SPECIAL_NAMES.find(special => special === name.toLowerCase())
