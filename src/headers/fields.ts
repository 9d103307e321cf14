import type { ReceivedHeaders } from '../request.ts'
import { fail, ok, type Result } from '../result.ts'

/** Field values by lower-case name, in the order received, outer white space trimmed. */
export type Fields = ReadonlyMap<string, readonly string[]>

/** RFC 9110 section 5.6.2: token. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** RFC 9110 section 5.5: a field value with one of these is invalid; a line break would make a second line. */
const BREAK = /[\r\n\0]/

export const isToken = (text: string): boolean => TOKEN.test(text)
export const hasBreak = (text: string): boolean => BREAK.test(text)

/**
 * Names that were seen and are tokens, in lower case. The same few names come with every request.
 * Bounded: long names are not kept, and a full memo starts again.
 */
const knownNames = new Map<string, string>()
const KNOWN_NAMES = 500
const KNOWN_NAME_LENGTH = 40

function lowerCaseName(name: string): string | undefined {
  const known = knownNames.get(name)
  if (known !== undefined) return known
  if (!isToken(name)) return undefined
  const lower = name.toLowerCase()
  if (name.length <= KNOWN_NAME_LENGTH) {
    if (knownNames.size >= KNOWN_NAMES) knownNames.clear()
    knownNames.set(name, lower)
  }
  return lower
}

/** Reads the header lines once: every name a token, no value with a line break. */
export function readFields(headers: ReceivedHeaders): Result<Fields> {
  const fields = new Map<string, string[]>()

  for (const [name, value] of headerLines(headers)) {
    const lower = lowerCaseName(name)
    if (lower === undefined) return fail('request-malformed', { part: 'header-name', name })
    if (hasBreak(value)) return fail('request-malformed', { part: 'header-value', name })

    const values = fields.get(lower)
    if (values === undefined) fields.set(lower, [trimWhiteSpace(value)])
    else values.push(trimWhiteSpace(value))
  }
  return ok(fields)
}

function headerLines(headers: ReceivedHeaders): Iterable<readonly [string, string]> {
  return Symbol.iterator in headers ? checkedPairs(headers as Iterable<unknown>) : recordLines(headers)
}

function* checkedPairs(headers: Iterable<unknown>): Generator<[string, string]> {
  for (const pair of headers) {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string' || typeof pair[1] !== 'string') {
      throw new TypeError(
        'request.headers must yield [name, value] pairs of strings (rawHeaders is flat: pair it up)'
      )
    }
    yield pair as [string, string]
  }
}

function* recordLines(headers: object): Generator<[string, string]> {
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    for (const line of Array.isArray(value) ? value : [value]) {
      if (typeof line !== 'string')
        throw new TypeError('request.headers must have strings or arrays of strings as values')
      yield [name, line]
    }
  }
}

/** RFC 9110 section 5.6.3: OWS is space and tab. String.trim() would also take what is part of the value. */
export function trimWhiteSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start++
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

const isWhiteSpace = (code: number): boolean => code === 0x20 || code === 0x09
