import { describe } from '../mistakes/mistakes.ts'
import { fail, ok, type Result } from '../verdict/result.ts'
import type { ReceivedHeaders } from './request.ts'

/** The header fields by lower-case name. */
export interface Fields {
  /** outer white space trimmed; repeated lines joined by ", " in their order (RFC 9110 section 5.2) */
  values: ReadonlyMap<string, string>
  /** the lines of each name that has more than one */
  repeated: ReadonlyMap<string, readonly string[]>
}

/** RFC 9110 section 5.6.2: token. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

export const isToken = (text: string): boolean => TOKEN.test(text)

/** RFC 9110 section 5.5: a field value with one of these is invalid; a line break would make a second line. */
export const hasBreak = (text: string): boolean =>
  text.includes('\n') || text.includes('\r') || text.includes('\0')

/** A name in lower case, or undefined when it is not a token. */
export const lowerCaseName = (name: string): string | undefined =>
  isToken(name) ? name.toLowerCase() : undefined

/**
 * Several times what any honest request has. RFC 9110 section 5.4: a server refuses more fields than it wishes to
 * process. Each name is compared with all others, and a head has room for thousands.
 */
const MAX_LINES = 500

/** Parses the header lines once: every name must be a token, no value may have a line break, and there is a limit. */
export function parseFields(headers: ReceivedHeaders): Result<Fields> {
  const values = new Map<string, string>()
  const repeated = new Map<string, string[]>()
  let count = 0
  let badName: string | undefined
  for (const line of Symbol.iterator in headers ? (headers as Iterable<unknown>) : linesOf(headers)) {
    const name: unknown = Array.isArray(line) ? line[0] : line
    const value: unknown = Array.isArray(line) ? line[1] : undefined
    if (typeof name !== 'string' || typeof value !== 'string') {
      const received = Array.isArray(line) ? `${describe(value)} for ${describe(name)}` : describe(line)
      throw new TypeError(
        `request.headers must be [name, value] pairs of strings, or a record of strings or arrays of strings, and yields ${received} (rawHeaders is flat: pair it up)`
      )
    }
    if (++count > MAX_LINES) return fail('request-malformed', { part: 'header-count' })
    if (hasBreak(value)) return fail('request-malformed', { part: 'header-value', name })
    const lower = lowerCaseName(name)
    if (lower === undefined) {
      badName ??= name
      continue
    }
    const trimmed = trimWhiteSpace(value)
    const before = values.get(lower)
    if (before === undefined) values.set(lower, trimmed)
    else {
      const lines = repeated.get(lower) ?? [before]
      repeated.set(lower, lines)
      lines.push(trimmed)
    }
  }
  if (badName !== undefined) return fail('request-malformed', { part: 'header-name', name: badName })
  for (const [name, lines] of repeated) values.set(name, lines.join(', '))
  return ok({ values, repeated })
}

/** The lines of a record, as `node:http` makes it. */
export function* linesOf(record: object): Generator<[name: string, value: unknown]> {
  for (const [name, value] of Object.entries(record)) {
    for (const line of Array.isArray(value) ? value : value === undefined ? [] : [value]) yield [name, line]
  }
}

/** The values of all lines of a name, which is in lower case. */
export const lineValues = (
  lines: readonly (readonly [name: string, value: string])[],
  name: string
): string[] => lines.filter(([lineName]) => lineName.toLowerCase() === name).map(([, value]) => value)

/** RFC 9110 section 5.6.3: OWS is space and tab. String.trim() would also remove parts of the value. */
export const trimWhiteSpace = (text: string): string => trimChars(text, ' \t')

/** The text without such characters at either end, in linear time. */
export function trimChars(text: string, chars: string): string {
  let start = 0
  let end = text.length
  while (start < end && chars.includes(text[start]!)) start++
  while (end > start && chars.includes(text[end - 1]!)) end--
  return text.slice(start, end)
}
