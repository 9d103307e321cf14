import { type Failed, fail, ok, type Result } from '../result.ts'
import { decodeBase64 } from './base64.ts'
import { isToken, trimWhiteSpace } from './fields.ts'

/** The parameters of a `Signature` header (draft-cavage-http-signatures-12 section 2.1). */
export interface SignatureParameters {
  keyId: string
  algorithm?: string
  /** the covered names, lower case, in the order of the signing string */
  headers: string[]
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
  const parameters = readParameters(trimWhiteSpace(value))
  if (!parameters.ok) return parameters
  const { quoted, bare } = parameters.value

  for (const name of ['keyId', 'signature', 'headers', 'algorithm']) {
    if (bare.has(name)) return malformed(0, `${name} is not a quoted string`)
  }
  for (const name of ['created', 'expires']) {
    if (quoted.has(name) || !isInteger(bare.get(name) ?? '0'))
      return malformed(0, `${name} is not an integer`)
  }

  const keyId = quoted.get('keyId')
  const signatureText = quoted.get('signature')
  if (keyId === undefined) return fail('signature-parameter-missing', { parameter: 'keyId' })
  if (signatureText === undefined) return fail('signature-parameter-missing', { parameter: 'signature' })

  const headers = readCoveredNames(quoted.get('headers'))
  if (!headers.ok) return headers
  const signature = decodeBase64(signatureText)
  if (signature === undefined || signature.length === 0) return fail('signature-encoding')

  const result: SignatureParameters = { keyId, headers: headers.value, signature }
  const algorithm = quoted.get('algorithm')
  const created = bare.get('created')
  const expires = bare.get('expires')
  if (algorithm !== undefined) result.algorithm = algorithm
  if (created !== undefined) result.created = Number(created)
  if (expires !== undefined) result.expires = Number(expires)
  return ok(result)
}

/** The covered list, section 2.1.6: names separated by one space; without it, `(created)`; empty is forbidden. */
function readCoveredNames(list: string | undefined): Result<string[]> {
  if (list === undefined) return ok(['(created)'])
  let spaces = 0
  for (let at = list.indexOf(' '); at >= 0; at = list.indexOf(' ', at + 1)) {
    if (++spaces >= MAX_COVERED) return malformed(0, `headers lists more than ${MAX_COVERED} names`)
  }
  const names = list.split(' ')
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!.toLowerCase()
    if (!isToken(names[i]!) && !SPECIAL_NAMES.has(name))
      return malformed(0, 'headers lists what is not a header name')
    names[i] = name
  }
  return ok(names)
}

/** Section 2.3: names that stand for something other than a header. */
const SPECIAL_NAMES: ReadonlySet<string> = new Set(['(request-target)', '(created)', '(expires)'])

/** Control characters other than tab are not in any quoted-string (RFC 9110 section 5.6.4). */
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/

interface RawParameters {
  quoted: Map<string, string>
  bare: Map<string, string>
}

function readParameters(text: string): Result<RawParameters> {
  const quoted = new Map<string, string>()
  const bare = new Map<string, string>()
  const control = text.search(CONTROL)
  if (control >= 0) return malformed(control, 'a control character')

  let at = 0
  for (let count = 0; count < MAX_PARAMETERS; count++) {
    const nameEnd = tokenEnd(text, at)
    const name = text.slice(at, nameEnd)
    if (name === '') return malformed(at, 'a parameter name is expected')
    if (text[nameEnd] !== '=') return malformed(nameEnd, 'an equals sign is expected')
    if (quoted.has(name) || bare.has(name)) return fail('signature-parameter-repeated', { parameter: name })

    at = nameEnd + 1
    if (text[at] === '"') {
      const string = readQuotedString(text, at)
      if (string === undefined) return malformed(at, 'the quoted string has no end')
      quoted.set(name, string.value)
      at = string.end
    } else {
      const end = tokenEnd(text, at)
      if (end === at) return malformed(at, 'a value is expected')
      bare.set(name, text.slice(at, end))
      at = end
    }

    at = whiteSpaceEnd(text, at)
    if (at === text.length) return ok({ quoted, bare })
    if (text[at] !== ',') return malformed(at, 'a comma is expected')
    at = whiteSpaceEnd(text, at + 1)
  }
  return malformed(at, `there are more than ${MAX_PARAMETERS} parameters`)
}

/** RFC 9110 section 5.6.4: quoted-string, a backslash stands before a character taken as it is. */
function readQuotedString(text: string, open: number): { value: string; end: number } | undefined {
  let close = text.indexOf('"', open + 1)
  let backslash = text.indexOf('\\', open + 1)
  if (close < 0) return undefined
  if (backslash < 0 || backslash > close) return { value: text.slice(open + 1, close), end: close + 1 }

  const pieces: string[] = []
  let start = open + 1
  while (backslash >= 0 && backslash < close) {
    pieces.push(text.slice(start, backslash), text.charAt(backslash + 1))
    start = backslash + 2
    if (close < start) close = text.indexOf('"', start)
    if (close < 0) return undefined
    backslash = text.indexOf('\\', start)
  }
  pieces.push(text.slice(start, close))
  return { value: pieces.join(''), end: close + 1 }
}

const TOKEN_RUN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]*/y
const WHITE_SPACE_RUN = /[ \t]*/y

const tokenEnd = (text: string, at: number): number => runEnd(TOKEN_RUN, text, at)
const whiteSpaceEnd = (text: string, at: number): number => runEnd(WHITE_SPACE_RUN, text, at)

function runEnd(run: RegExp, text: string, at: number): number {
  run.lastIndex = at
  run.test(text)
  return run.lastIndex
}

/** One spelling per number, since the number is signed; fifteen digits stay exact and reach beyond any clock. */
const isInteger = (text: string): boolean => /^(?:0|[1-9][0-9]{0,14})$/.test(text)

const malformed = (position: number, reason: string): Failed =>
  fail('signature-malformed', { position, reason })
