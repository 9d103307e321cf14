import type { ReceivedHeaders } from '../request.ts'
import { type Failed, fail, ok, type Result } from '../result.ts'

/** The header fields by lower-case name. */
export interface Fields {
  /** outer white space trimmed; repeated lines joined by ", " in their order (RFC 9110 section 5.2) */
  values: ReadonlyMap<string, string>
  /** the lines of names that stand on more than one */
  repeated: ReadonlyMap<string, readonly string[]>
}

/** RFC 9110 section 5.6.2: token. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

export const isToken = (text: string): boolean => TOKEN.test(text)

/** RFC 9110 section 5.5: a field value with one of these is invalid; a line break would make a second line. */
export const hasBreak = (text: string): boolean =>
  text.includes('\n') || text.includes('\r') || text.includes('\0')

/**
 * Names that were seen and are tokens, in lower case. The same few names come with every request.
 * Bounded: long names are not kept, and a full memo starts again.
 */
const knownNames = new Map<string, string>()
const KNOWN_NAMES = 500
const KNOWN_NAME_LENGTH = 40

/** A name in lower case, or undefined when it is not a token. */
export function lowerCaseName(name: string): string | undefined {
  const known = knownNames.get(name)
  if (known !== undefined) return known
  if (!isToken(name)) return undefined
  const lower = name.toLowerCase()
  if (name.length <= KNOWN_NAME_LENGTH) {
    if (knownNames.size >= KNOWN_NAMES) knownNames.clear()
    // A copy: a name cut out of a long header would keep all of it in memory.
    knownNames.set(Buffer.from(name, 'latin1').toString('latin1'), lower)
  }
  return lower
}

/** Reads the header lines once: every name a token, no value with a line break. */
export function readFields(headers: ReceivedHeaders): Result<Fields> {
  const fields = { values: new Map<string, string>(), repeated: new Map<string, string[]>() }

  if (Symbol.iterator in headers) {
    for (const pair of headers as Iterable<unknown>) {
      if (!Array.isArray(pair) || typeof pair[0] !== 'string' || typeof pair[1] !== 'string') {
        throw new TypeError(
          'request.headers must yield [name, value] pairs of strings (rawHeaders is flat: pair it up)'
        )
      }
      const malformed = addLine(fields, pair[0], pair[1])
      if (malformed !== undefined) return malformed
    }
    return ok(fields)
  }

  for (const [name, values] of Object.entries(headers)) {
    if (values === undefined) continue
    for (const value of Array.isArray(values) ? values : [values]) {
      if (typeof value !== 'string') {
        throw new TypeError('request.headers must have strings or arrays of strings as values')
      }
      const malformed = addLine(fields, name, value)
      if (malformed !== undefined) return malformed
    }
  }
  return ok(fields)
}

function addLine(fields: CollectedFields, name: string, value: string): Failed | undefined {
  const lower = lowerCaseName(name)
  if (lower === undefined) return fail('request-malformed', { part: 'header-name', name })
  if (hasBreak(value)) return fail('request-malformed', { part: 'header-value', name })

  const line = trimWhiteSpace(value)
  const earlier = fields.values.get(lower)
  fields.values.set(lower, earlier === undefined ? line : `${earlier}, ${line}`)
  if (earlier === undefined) return undefined

  const lines = fields.repeated.get(lower)
  if (lines === undefined) fields.repeated.set(lower, [earlier, line])
  else lines.push(line)
  return undefined
}

interface CollectedFields {
  values: Map<string, string>
  repeated: Map<string, string[]>
}

/** RFC 9110 section 5.6.3: OWS is space and tab. String.trim() would also take what is part of the value. */
export function trimWhiteSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start++
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

export const isWhiteSpace = (code: number): boolean => code === 0x20 || code === 0x09
