import { decodeBase64 } from '../../http/base64.ts'
import { base64FormOf } from '../../http/base64-form.ts'
import { isToken, TOKEN_CHARACTERS } from '../../http/fields.ts'
import { memoizeRecent } from '../../memo.ts'
import { type Failed, fail, ok, type Result } from '../../result/result.ts'
import type { ParsedSignature } from '../scheme.ts'
import { SPECIAL_NAMES } from './signing-string.ts'

/** Senders need fewer. The limits bound the work that untrusted input can cause. Empty parameters count. */
const MAX_PARAMETERS = 100
const MAX_COVERED = 100

/**
 * Parses the value of a `Signature` header without outer white space, as in draft-cavage-http-signatures-12 section
 * 4.1. Without copies: requests that cover the same names share one list.
 */
export function parseSharedSignature(text: string): Result<ParsedSignature> {
  const parameters = parseParameters(text)
  if (!parameters.ok) return parameters
  const { value } = parameters
  const keyId = value.get('keyid')
  const encoded = value.get('signature')
  if (keyId === undefined) return fail('signature-parameter-missing', { parameter: 'keyId' })
  if (encoded === undefined) return fail('signature-parameter-missing', { parameter: 'signature' })

  const list = value.get('headers')
  const headers = list === undefined ? ONLY_CREATED : parseCoveredNames(list)
  if (headers === undefined) return malformedList(text, list!)
  const signature = decodeBase64(encoded)
  if (signature === undefined || signature.length === 0) return fail('signature-not-base64', base64FormOf(encoded))
  return ok({
    keyId,
    algorithm: value.get('algorithm'),
    headers,
    signature,
    created: numberOf(value.get('created')),
    expires: numberOf(value.get('expires'))
  })
}

const ONLY_CREATED: readonly string[] = ['(created)']

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

/**
 * Parses the covered list of section 2.1.6: names separated by one space; without it, `(created)`; an empty one is
 * forbidden. Undefined for any other text. A sender repeats its list: remembering it saves 4 % of a verification.
 */
const parseCoveredNames = /* @__PURE__ */ memoizeRecent((list: string): readonly string[] | undefined => {
  const names = list.split(' ', MAX_COVERED + 1)
  return names.length <= MAX_COVERED && names.every(isName) ? names.map(name => name.toLowerCase()) : undefined
})

const isName = (name: string): boolean => isToken(name) || SPECIAL_NAMES.includes(name.toLowerCase())

/** Allows one form per number, because the number is signed; fifteen digits are exact and enough for any clock. */
const INTEGER = /^(?:0|[1-9][0-9]{0,14})$/

/** Section 2.1.5: `expires` may have decimals. The length is that of fifteen digits and the point. */
const DECIMAL = /^(?=.{3,16}$)[1-9][0-9]*\.[0-9]*[1-9]$/

/** A form of a known parameter, and what is said where it has another. */
interface Form {
  readonly name: string
  readonly isTime?: true
  readonly expected: string
  allows(value: string): boolean
}

const stringForm = (name: string): Form => ({
  name,
  expected: `a quoted string is expected: ${name}="..."`,
  allows: () => true
})

/** The known parameters by lower-case name (section 2.1; names have no case by RFC 9110 section 11.2). */
const KNOWN: ReadonlyMap<string, Form> = new Map([
  ['keyid', stringForm('keyId')],
  ['algorithm', stringForm('algorithm')],
  ['headers', stringForm('headers')],
  ['signature', stringForm('signature')],
  [
    'created',
    {
      name: 'created',
      isTime: true,
      expected: 'seconds since 1970 are expected, without quotes: created=1795176000',
      allows: value => INTEGER.test(value)
    }
  ],
  [
    'expires',
    {
      name: 'expires',
      isTime: true,
      expected: 'seconds since 1970 are expected, without quotes: expires=1795176000 or expires=1795176000.5',
      allows: value => INTEGER.test(value) || DECIMAL.test(value)
    }
  ]
])

/**
 * Parses the text of the parameters, by lower-case name: a list of `name=value`, with what RFC 9110 tells a recipient
 * to accept (white space at the equals sign, section 5.6.3; empty parameters, section 5.6.1.2; a token for a quoted
 * string, section 11.2). docs/design.md has each decision.
 */
function parseParameters(text: string): Result<ReadonlyMap<string, string>> {
  const parameters = new Map<string, string>()
  let at = 0
  for (let count = 0; count < MAX_PARAMETERS; count++) {
    const parsed = parseParameter(text, whiteSpaceEnd(text, at), parameters)
    if (!parsed.ok) return parsed
    const end = parsed.value
    if (end === text.length)
      return parameters.size > 0 ? ok(parameters) : malformed(0, 'parameters are expected: keyId="...",signature="..."')
    at = end + 1
  }
  return malformed(at, `there are more than ${MAX_PARAMETERS} parameters`)
}

/** Parses one parameter, or none, into `parameters`. Returns the position of the comma behind it, or of the end. */
function parseParameter(text: string, start: number, parameters: Map<string, string>): Result<number> {
  if (isSeparator(text, start)) return ok(start)

  const nameEnd = tokenEnd(text, start)
  const key = text.slice(start, nameEnd).toLowerCase()
  const form = KNOWN.get(key)
  const equals = whiteSpaceEnd(text, nameEnd)
  if (nameEnd === start || text[equals] !== '=') {
    const reason = 'a parameter name and an equals sign are expected'
    return form === undefined ? skip(text, start, start, reason) : malformed(start, reason)
  }
  if (parameters.has(key))
    return fail('signature-parameter-repeated', { parameter: form?.name ?? text.slice(start, nameEnd) })

  const valueStart = whiteSpaceEnd(text, equals + 1)
  const isQuoted = text[valueStart] === '"'
  const valueEnd = isQuoted ? quotedStringEnd(text, valueStart) : tokenEnd(text, valueStart)
  const end = whiteSpaceEnd(text, valueEnd)
  if (isQuoted && valueEnd === valueStart) return malformed(valueStart, UNCLOSED)
  // A backslash stays in the value; the later name, list or base64 check refuses it.
  const value = isQuoted ? text.slice(valueStart + 1, valueEnd - 1) : text.slice(valueStart, valueEnd)

  if (form === undefined) {
    parameters.set(key, value)
    const hasValue = valueEnd > valueStart
    if (!WITHOUT_CONTROLS.test(value)) return malformed(valueStart, 'the quoted string has a control character')
    if (hasValue && isSeparator(text, end)) return ok(end)
    // `sig1=:...:` (RFC 9421 section 4.2)
    if (start === 0 && text[valueStart] === ':' && DICTIONARY_KEY.test(text.slice(start, nameEnd)))
      return fail('signature-malformed', { position: valueStart, reason: NO_VALUE, looksLike: 'rfc9421' })
    return hasValue ? skip(text, start, end, NO_COMMA) : skip(text, start, valueStart, NO_VALUE)
  }
  if (valueEnd === valueStart || (form.isTime && isQuoted) || !form.allows(value))
    return malformed(valueStart, form.expected)
  if (!isSeparator(text, end)) {
    if (!isQuoted) return malformed(valueStart, form.expected)
    // The string ends where the next parameter opens its own.
    return NEXT_PARAMETER.test(value) ? malformed(valueStart, UNCLOSED) : malformed(end, NO_COMMA)
  }
  parameters.set(key, value)
  return ok(end)
}

const NO_COMMA = 'a comma is expected'

/** The reason where a quoted string has no end. */
export const UNCLOSED = 'the closing quote is missing'

/** A known parameter and an equals sign at the end of a quoted string. */
const NEXT_PARAMETER = /,[ \t]*(?:keyId|algorithm|headers|signature|created|expires)[ \t]*=[ \t]*$/i
const NO_VALUE = 'a value is expected: a token, or text in quotes'

const isSeparator = (text: string, at: number): boolean => at === text.length || text[at] === ','

/** A quoted-string has no control characters but tab. */
const WITHOUT_CONTROLS = /^[^\0-\x08\x0a-\x1f\x7f]*$/

const PLAIN = /[^",\\\0-\x08\x0a-\x1f\x7f]*/y

/**
 * Skips a parameter that is unknown and not well-formed: it "MUST be ignored" (section 2.2). Only where everybody finds
 * the same end of it: there is no quote and no backslash up to the next comma.
 */
function skip(text: string, start: number, position: number, reason: string): Result<number> {
  PLAIN.lastIndex = start
  PLAIN.test(text)
  return isSeparator(text, PLAIN.lastIndex) ? ok(PLAIN.lastIndex) : malformed(position, reason)
}

/** RFC 8941 section 3.1.2. */
const DICTIONARY_KEY = /^[a-z*][a-z0-9_.*-]*$/

const TOKEN = new RegExp(`[${TOKEN_CHARACTERS}]+`, 'y')

/** Finds the end of the token that starts at this position; the position itself if none starts there. */
function tokenEnd(text: string, start: number): number {
  TOKEN.lastIndex = start
  return TOKEN.test(text) ? TOKEN.lastIndex : start
}

function whiteSpaceEnd(text: string, start: number): number {
  let at = start
  while (text[at] === ' ' || text[at] === '\t') at++
  return at
}

/** Finds the end of the quoted-string that starts at this position; the position itself without a closing quote. */
function quotedStringEnd(text: string, open: number): number {
  let at = text.indexOf('"', open + 1)
  while (isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at < 0 ? open : at + 1
}

/**
 * Returns whether the quote is escaped. RFC 9110 section 5.6.4: a backslash escapes the next character, so an odd
 * number of them escapes the quote.
 */
function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0
  while (text[quote - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}

/** Says where the first name of the list is that no header has. */
function malformedList(text: string, list: string): Failed {
  const start = text.indexOf(`"${list}"`) + 1
  if (list.includes(',')) return malformed(start + list.indexOf(','), 'names with one space between them are expected')
  const name = list.split(' ', MAX_COVERED).find(name => !isName(name)) ?? ''
  return malformed(start + list.indexOf(name), 'headers is not a list of header names')
}

const malformed = (position: number, reason: string): Failed => fail('signature-malformed', { position, reason })
