import { memoizeRecent } from '../memo.ts'
import { describe, kindOf, mistake } from '../mistakes.ts'
import { fail, ok, type Result } from '../result/result.ts'
import type { ReceivedHeaders } from './request.ts'

/** The header fields by lower-case name. */
export interface Fields {
  /** outer white space trimmed; repeated lines joined by ", " in their order (RFC 9110 section 5.2) */
  values: ReadonlyMap<string, string>
  /** the lines of each name that has more than one */
  repeated: ReadonlyMap<string, readonly string[]>
}

/** RFC 9110 section 5.6.2: the characters of a token, inside the brackets of a regular expression. */
export const TOKEN_CHARACTERS = "!#$%&'*+\\-.^_`|~0-9A-Za-z"

const TOKEN = new RegExp(`^[${TOKEN_CHARACTERS}]+$`)

export const isToken = (text: string): boolean => TOKEN.test(text)

/** Finds a character that RFC 9110 section 5.5 forbids in a field value; a line break would make a second line. */
export const hasBreak = (text: string): boolean => text.includes('\n') || text.includes('\r') || text.includes('\0')

/** Returns a name in lower case, or undefined when it is not a token. */
export const lowerCaseName = (name: string): string | undefined => (isToken(name) ? name.toLowerCase() : undefined)

/**
 * Several times as many as a real request has. RFC 9110 section 5.4: a server refuses more fields than it wishes to
 * process. Each name is compared with all others, and a head can hold thousands.
 */
export const MAX_HEADER_LINES = 500

/** Parses the header lines once: every name must be a token, no value may have a line break, and there is a limit. */
export function parseFields(headers: ReceivedHeaders): Result<Fields> {
  const values = new Map<string, string>()
  const repeated = new Map<string, string[]>()
  let count = 0
  for (const line of headerLines(headers)) {
    const received: unknown = Array.isArray(line) ? line[0] : line
    const value: unknown = Array.isArray(line) ? line[1] : undefined
    if (typeof received !== 'string' || typeof value !== 'string') {
      throw mistake(
        'request.headers yields',
        line,
        'pass [name, value] pairs of strings, or a record of strings or arrays of strings (rawHeaders is flat: pair ' +
          'it up)',
        () => (Array.isArray(line) ? `${kindOf(value)} for ${describe(received)}` : kindOf(line))
      )
    }
    count += 1
    if (count > MAX_HEADER_LINES) return fail('request-malformed', { part: 'header-count' })
    if (hasBreak(value)) return fail('request-malformed', { part: 'header-value', name: received })
    const name = lowerCaseName(received)
    if (name === undefined) return fail('request-malformed', { part: 'header-name', name: received })
    const text = trimWhiteSpace(value)
    const first = values.get(name)
    if (first === undefined) values.set(name, text)
    else {
      const lines = repeated.get(name) ?? [first]
      lines.push(text)
      repeated.set(name, lines)
    }
  }
  // Only now, so that many lines of one name take linear time.
  for (const [name, lines] of repeated) values.set(name, lines.join(', '))
  return ok({ values, repeated })
}

/** Lists the lines of a record, as `node:http` makes it. */
export function* linesOf(record: object): Generator<[name: string, value: unknown]> {
  for (const [name, value] of Object.entries(record)) {
    if (value === undefined) continue
    const lines = Array.isArray(value) ? value : [value]
    for (const line of lines) yield [name, line]
  }
}

/** Returns the header lines, whichever form they have; a caller may have written anything into them. */
export const headerLines = (headers: ReceivedHeaders): Iterable<unknown> =>
  Symbol.iterator in headers ? headers : linesOf(headers)

/** Compares two lists of texts. */
export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Returns the values of all lines of a name, which is in lower case. */
export const lineValues = (lines: readonly (readonly [name: string, value: string])[], name: string): string[] =>
  lines.filter(([lineName]) => lineName.toLowerCase() === name).map(([, value]) => value)

/**
 * Returns whether this field, or component without parameters, is among the covered names. In RFC 9421 a field is also
 * covered with `bs`; with `sf` or `key`, values that other parsers read differently can have the same signed form, so
 * neither counts. No name of the draft has parameters.
 */
export const covers = (covered: readonly string[], name: string): boolean =>
  covered.includes(name) || covered.includes(`${name};bs`)

/**
 * Returns the value of each covered field by its name, in the order of the covered list: the fields that `covers`
 * finds.
 */
export function valuesOfCovered(covered: readonly string[], { values }: Fields): Record<string, string> {
  const { names, empty } = coveredFields(covered)
  const found = { ...empty }
  for (const name of names) found[name] = values.get(name)!
  return found
}

/**
 * Parses a covered list: the names of its fields, an object with an empty value for each, and the names that it lists
 * twice. Each field is an own property before it gets its value, so a name may be one of `Object.prototype`, such as
 * `__proto__`. A sender repeats its list, and this memory saves 12 % of a verification.
 */
export const coveredFields = /* @__PURE__ */ memoizeRecent((covered: readonly string[]) => {
  const names = covered.map(name => name.replace(/;bs$/, '')).filter(isToken)
  return {
    names,
    empty: Object.fromEntries(names.map(name => [name, ''])),
    repeated: covered.filter((name, i) => covered.indexOf(name) !== i)
  }
}, isSameList)

/** Trims OWS of RFC 9110 section 5.6.3, space and tab. String.trim() would also remove parts of the value. */
export const trimWhiteSpace = (text: string): string => trimChars(text, WHITE_SPACE)

/** ASCII characters by their codes. */
export type CharSet = Readonly<Uint8Array>

export function charSet(chars: string): CharSet {
  const set = new Uint8Array(128)
  for (const byte of Buffer.from(chars)) set[byte] = 1
  return set
}

/** Trims such characters from either end, in linear time. A predicate called for each would cost 40 % more. */
export function trimChars(text: string, chars: CharSet): string {
  let start = 0
  let end = text.length
  while (start < end && chars[text.charCodeAt(start)] === 1) start++
  while (end > start && chars[text.charCodeAt(end - 1)] === 1) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

const WHITE_SPACE = /* @__PURE__ */ charSet(' \t')
