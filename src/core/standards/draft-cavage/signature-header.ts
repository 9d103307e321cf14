import { decodeBase64 } from '../../http/base64.ts'
import { isToken } from '../../http/fields.ts'
import { memoizeRecent } from '../../memo.ts'
import { type Failed, fail, ok, type Result } from '../../result/result.ts'
import type { ParsedSignature } from '../scheme.ts'
import { SPECIAL_NAMES } from './signing-string.ts'

/** Senders need fewer. The limits bound the work that untrusted input can cause. */
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
  const keyId = value.get('keyId')
  const encoded = value.get('signature')
  if (keyId === undefined) return fail('signature-parameter-missing', { parameter: 'keyId' })
  if (encoded === undefined) return fail('signature-parameter-missing', { parameter: 'signature' })

  const list = value.get('headers')
  const headers = list === undefined ? ONLY_CREATED : parseCoveredNames(list)
  if (headers === undefined) return malformed(0, 'headers is not a list of header names')
  const signature = decodeBase64(encoded)
  if (signature === undefined || signature.length === 0) return fail('signature-not-base64')
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
 * forbidden. Undefined for any other text. A sender repeats its list.
 */
const parseCoveredNames = /* @__PURE__ */ memoizeRecent((list: string): readonly string[] | undefined => {
  const names = list.split(' ', MAX_COVERED + 1)
  const isName = (name: string) => isToken(name) || SPECIAL_NAMES.includes(name.toLowerCase())
  return names.length <= MAX_COVERED && names.every(isName) ? names.map(name => name.toLowerCase()) : undefined
})

const STRING = /^"/

/** Allows one form per number, because the number is signed; fifteen digits are exact and enough for any clock. */
const INTEGER = /^(?:0|[1-9][0-9]{0,14})$/

/**
 * Matches a quoted-string, which has no control characters but tab. The known parameters have stricter rules of their
 * own.
 */
const UNKNOWN = /^[^\0-\x08\x0a-\x1f\x7f]+$/

/** The forms of the known parameters by section 2.1, where the times are integers. */
const FORMS: ReadonlyMap<string, RegExp> = new Map([
  ['keyId', STRING],
  ['algorithm', STRING],
  ['headers', STRING],
  ['signature', STRING],
  ['created', INTEGER],
  ['expires', INTEGER]
])

/**
 * Matches a known quoted parameter without escapes, and the comma behind it, as every sender writes them. The loop
 * parses any other parameter step by step, with the same result, and finds what is wrong with it.
 */
const PLAIN_STRING = /(keyId|algorithm|headers|signature)="([^"\\]*)"[ \t]*(?:(,)[ \t]*|$)/y

/** Parses the parameters' text by name. Unknown parameters must be well formed too. */
function parseParameters(text: string): Result<ReadonlyMap<string, string>> {
  const parameters = new Map<string, string>()
  let at = 0
  while (parameters.size < MAX_PARAMETERS) {
    PLAIN_STRING.lastIndex = at
    const plain = PLAIN_STRING.exec(text)
    if (plain !== null) {
      const [, known = '', content = '', comma] = plain
      if (parameters.has(known)) return fail('signature-parameter-repeated', { parameter: known })
      parameters.set(known, content)
      if (comma === undefined) return ok(parameters)
      at = PLAIN_STRING.lastIndex
      continue
    }

    const equals = tokenEnd(text, at)
    if (equals === at || text[equals] !== '=') return malformed(at, 'a parameter name and an equals sign are expected')
    const name = text.slice(at, equals)
    if (parameters.has(name)) return fail('signature-parameter-repeated', { parameter: name })

    const start = equals + 1
    const isQuoted = text[start] === '"'
    const end = isQuoted ? quotedStringEnd(text, start) : tokenEnd(text, start)
    const value = text.slice(start, end)
    if (!(FORMS.get(name) ?? UNKNOWN).test(value)) {
      const reason = 'a quoted string is expected, or an integer for a time'
      // `sig1=:...:` (RFC 9421 section 4.2)
      const isByteSequence = at === 0 && text[start] === ':' && DICTIONARY_KEY.test(name)
      return fail('signature-malformed', {
        position: start,
        reason,
        ...(isByteSequence && { looksLike: 'rfc9421' as const })
      })
    }
    // A backslash stays in the value; the later name, list or base64 check refuses it.
    parameters.set(name, isQuoted ? value.slice(1, -1) : value)

    at = whiteSpaceEnd(text, end)
    if (at === text.length) return ok(parameters)
    if (text[at] !== ',') return malformed(at, 'a comma is expected')
    at = whiteSpaceEnd(text, at + 1)
  }
  return malformed(at, `there are more than ${MAX_PARAMETERS} parameters`)
}

/** RFC 8941 section 3.1.2. */
const DICTIONARY_KEY = /^[a-z*][a-z0-9_.*-]*$/

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y

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

const malformed = (position: number, reason: string): Failed => fail('signature-malformed', { position, reason })
