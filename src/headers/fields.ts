import type { ReceivedHeaders } from '../request.ts'
import { fail, ok, type Result } from '../result.ts'

/** The header fields by lower-case name. */
export interface Fields {
  /** outer white space trimmed; repeated lines joined by ", " in their order (RFC 9110 section 5.2) */
  values: Pick<ReadonlyMap<string, string>, 'get' | 'has'>
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

/**
 * Several times what any honest request has. RFC 9110 section 5.4: a server refuses more fields than it wishes to
 * process; each is a name to compare with all others, and thousands fit in a head.
 */
const MAX_LINES = 500

/** Reads the header lines once: every name a token, no value with a line break, and not too many. */
export function readFields(headers: ReceivedHeaders): Result<Fields> {
  const names: string[] = []
  const values: string[] = []

  if (Symbol.iterator in headers) {
    for (const pair of headers as Iterable<unknown>) {
      if (!Array.isArray(pair) || typeof pair[0] !== 'string' || typeof pair[1] !== 'string') {
        throw new TypeError(
          'request.headers must yield [name, value] pairs of strings (rawHeaders is flat: pair it up)'
        )
      }
      if (names.length === MAX_LINES) return fail('request-malformed', { part: 'header-count' })
      if (hasBreak(pair[1])) return fail('request-malformed', { part: 'header-value', name: pair[0] })
      names.push(pair[0])
      values.push(trimWhiteSpace(pair[1]))
    }
    return arrange(names, values)
  }

  for (const [name, lines] of Object.entries(headers)) {
    if (lines === undefined) continue
    for (const value of Array.isArray(lines) ? lines : [lines]) {
      if (typeof value !== 'string') {
        throw new TypeError('request.headers must have strings or arrays of strings as values')
      }
      if (names.length === MAX_LINES) return fail('request-malformed', { part: 'header-count' })
      if (hasBreak(value)) return fail('request-malformed', { part: 'header-value', name })
      names.push(name)
      values.push(trimWhiteSpace(value))
    }
  }
  return arrange(names, values)
}

/** Finds the lines by name, and joins the repeated ones into the first of them. */
function arrange(names: readonly string[], values: string[]): Result<Fields> {
  if (isLastLayout(names)) return ok({ values: new Values(lastLayout, values), repeated: NONE })

  const layout = new Map<string, number>()
  const repeated = new Map<string, string[]>()
  for (const [i, name] of names.entries()) {
    const lower = lowerCaseName(name)
    if (lower === undefined) return fail('request-malformed', { part: 'header-name', name })
    const first = layout.get(lower)
    if (first === undefined) {
      layout.set(lower, i)
    } else {
      const lines = repeated.get(lower)
      if (lines === undefined) repeated.set(lower, [values[first]!, values[i]!])
      else lines.push(values[i]!)
      values[first] = `${values[first]}, ${values[i]}`
    }
  }
  if (repeated.size === 0) {
    lastLayout = layout
    lastNames = names
  }
  return ok({ values: new Values(layout, values), repeated })
}

const NONE: ReadonlyMap<string, readonly string[]> = new Map()

/** Which name stands on which line; the same names in the same order come with every request of a sender. */
type Layout = ReadonlyMap<string, number>
let lastLayout: Layout = new Map()
let lastNames: readonly string[] = []

function isLastLayout(names: readonly string[]): boolean {
  if (names.length !== lastNames.length) return false
  for (let i = 0; i < names.length; i++) if (names[i] !== lastNames[i]) return false
  return true
}

/** A layout that may be shared, and the values that are not. */
class Values implements Pick<ReadonlyMap<string, string>, 'get' | 'has'> {
  private readonly layout: Layout
  private readonly list: readonly string[]

  constructor(layout: Layout, values: readonly string[]) {
    this.layout = layout
    this.list = values
  }

  get(name: string): string | undefined {
    const line = this.layout.get(name)
    return line === undefined ? undefined : this.list[line]
  }

  has(name: string): boolean {
    return this.layout.has(name)
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

export const isWhiteSpace = (code: number): boolean => code === 0x20 || code === 0x09
