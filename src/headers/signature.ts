import { type Failed, fail, ok, type Result } from '../result.ts'
import { decodeBase64 } from './base64.ts'
import { isToken, isWhiteSpace, lowerCaseName, trimWhiteSpace } from './fields.ts'
import { FEW, rememberFew } from './remember.ts'

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

/** More than any sender has use for; they bound the work that a stranger can ask for. */
const MAX_PARAMETERS = 100
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
    const encoded = signatureAfter(start, text)
    if (encoded !== undefined) return readAgain(read, encoded)
  }
  return readAnew(text)
}

function readAgain(
  { keyId, algorithm, headers, created, expires }: ReadSignature,
  encoded: string
): Result<ReadSignature> {
  const signature = decodeSignature(encoded)
  return signature === undefined
    ? fail('signature-encoding')
    : ok({ keyId, algorithm, headers, signature, created, expires })
}

/**
 * The last few headers that ended in their signature, up to the signature's first character, and what they said. A
 * sender writes the same from request to request, and only the signature is new.
 */
const starts: { start: string; read: ReadSignature }[] = []

/** What stands between this start and a last quote, when nothing in it can end the signature or hide its end. */
function signatureAfter(start: string, text: string): string | undefined {
  if (text.slice(0, start.length) !== start || !text.endsWith('"')) return undefined
  const encoded = text.slice(start.length, -1)
  return encoded === '' || encoded.includes('"') || encoded.includes('\\') ? undefined : encoded
}

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
    if (starts.length === FEW) starts.pop()
    starts.unshift({ start: text.slice(0, -encoded.length - 1), read })
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

type Kind = 'string' | 'integer' | 'unknown'

/** How the known parameters are written: section 2.1, where the times are integers. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['keyId', 'string'],
  ['algorithm', 'string'],
  ['headers', 'string'],
  ['signature', 'string'],
  ['created', 'integer'],
  ['expires', 'integer']
])

/** The parameters' text by name. Unknown ones must be well formed too. */
function readParameters(text: string): Result<ReadonlyMap<string, string>> {
  const parameters = new Map<string, string>()
  const hasBackslash = text.includes('\\')
  let at = 0

  while (parameters.size < MAX_PARAMETERS) {
    const equals = text.indexOf('=', at)
    const name = text.slice(at, Math.max(equals, at))
    const kind = KINDS.get(name) ?? 'unknown'
    if (kind === 'unknown' && !isToken(name))
      return malformed(at, 'a parameter name is expected, and an equals sign')
    if (parameters.has(name)) return fail('signature-parameter-repeated', { parameter: name })

    const start = equals + 1
    const quoted = text.charCodeAt(start) === QUOTE
    const end = quoted ? quotedStringEnd(text, start, hasBackslash) : tokenEnd(text, start)
    const value = quoted ? text.slice(start + 1, end - 1) : text.slice(start, end)
    if (end === start || !isOfKind(kind, value, quoted)) {
      return malformed(start, 'a quoted string is expected, or an integer for a time')
    }
    parameters.set(name, value)

    at = whiteSpaceEnd(text, end)
    if (at === text.length) return ok(parameters)
    if (text.charCodeAt(at) !== COMMA) return malformed(at, 'a comma is expected')
    at = whiteSpaceEnd(text, at + 1)
  }
  return malformed(at, `there are more than ${MAX_PARAMETERS} parameters`)
}

/** A backslash in a known string stays in it: nothing that a name, a list or base64 can have, so it is refused there. */
function isOfKind(kind: Kind, value: string, quoted: boolean): boolean {
  if (kind === 'string') return quoted
  return kind === 'integer' ? !quoted && INTEGER.test(value) : !CONTROL.test(value)
}

const COMMA = 0x2c
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** One spelling per number, since the number is signed; fifteen digits stay exact and reach beyond any clock. */
const INTEGER = /^(?:0|[1-9][0-9]{0,14})$/

/** Control characters other than tab are in no quoted-string. The known parameters have narrower rules of their own. */
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/

/** RFC 9110 section 5.6.4: quoted-string, where a backslash takes the next character as it is. `open` if it has no end. */
function quotedStringEnd(text: string, open: number, hasBackslash: boolean): number {
  if (!hasBackslash) return Math.max(text.indexOf('"', open + 1) + 1, open)
  for (let at = open + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at + 1
  }
  return open
}

const TOKEN_RUN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]*/y

function tokenEnd(text: string, start: number): number {
  TOKEN_RUN.lastIndex = start
  TOKEN_RUN.test(text)
  return TOKEN_RUN.lastIndex
}

function whiteSpaceEnd(text: string, start: number): number {
  let at = start
  while (isWhiteSpace(text.charCodeAt(at))) at++
  return at
}

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

const malformed = (position: number, reason: string): Failed =>
  fail('signature-malformed', { position, reason })
