import { isToken, isWhiteSpace } from '../http/fields.ts'
import { type Failed, fail, ok, type Result } from '../verdict/result.ts'

/** More than any sender needs; it limits the work that a stranger can cause. */
const MAX_PARAMETERS = 100

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
export function parseParameters(text: string): Result<ReadonlyMap<string, string>> {
  const parameters = new Map<string, string>()
  const hasBackslash = text.includes('\\')
  let at = 0

  while (parameters.size < MAX_PARAMETERS) {
    const equals = text.indexOf('=', at)
    const name = text.slice(at, Math.max(equals, at))
    const kind = KINDS.get(name) ?? 'unknown'
    if (kind === 'unknown' && !isToken(name))
      return malformed(at, 'a parameter name and an equals sign are expected')
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

/** A backslash stays in the value; the later name, list or base64 check refuses it. */
function isOfKind(kind: Kind, value: string, quoted: boolean): boolean {
  if (kind === 'string') return quoted
  return kind === 'integer' ? !quoted && INTEGER.test(value) : !CONTROL.test(value)
}

const COMMA = 0x2c
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** One spelling per number, because the number is signed; fifteen digits are exact and enough for any clock. */
const INTEGER = /^(?:0|[1-9][0-9]{0,14})$/

/** Control characters other than tab are in no quoted-string. The known parameters have stricter rules of their own. */
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/

/**
 * RFC 9110 section 5.6.4: quoted-string, where a backslash escapes the next character. Returns `open` if it has no end.
 */
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

export const malformed = (position: number, reason: string): Failed =>
  fail('signature-malformed', { position, reason })
