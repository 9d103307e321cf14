import type { ReceivedHeaders } from '../request.ts'
import { fail, ok, type Result } from '../result.ts'
import { keepFew } from './remember.ts'

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

/** A name in lower case, or undefined when it is not a token. */
export const lowerCaseName = (name: string): string | undefined =>
  isToken(name) ? name.toLowerCase() : undefined

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
  const known = layouts.find(each => areSame(each.names, names))
  if (known !== undefined) return ok({ values: new Values(known.lines, values), repeated: NONE })

  const lines = new Map<string, number>()
  const repeated = new Map<string, string[]>()
  for (const [i, name] of names.entries()) {
    const lower = lowerCaseName(name)
    if (lower === undefined) return fail('request-malformed', { part: 'header-name', name })
    const first = lines.get(lower)
    if (first === undefined) {
      lines.set(lower, i)
    } else {
      const several = repeated.get(lower)
      if (several === undefined) repeated.set(lower, [values[first]!, values[i]!])
      else several.push(values[i]!)
      values[first] = `${values[first]}, ${values[i]}`
    }
  }
  if (repeated.size === 0) keepFew(layouts, { names, lines })
  return ok({ values: new Values(lines, values), repeated })
}

const NONE: ReadonlyMap<string, readonly string[]> = new Map()

/** On which line each name stands. The same names in the same order come again and again, so the last few are kept. */
interface Layout {
  names: readonly string[]
  lines: ReadonlyMap<string, number>
}

const layouts: Layout[] = []

function areSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false
  for (let i = 0; i < some.length; i++) if (some[i] !== others[i]) return false
  return true
}

/** The lines of a layout that may be shared, and the values that are not. */
class Values implements Pick<ReadonlyMap<string, string>, 'get' | 'has'> {
  private readonly lines: ReadonlyMap<string, number>
  private readonly list: readonly string[]

  constructor(lines: ReadonlyMap<string, number>, values: readonly string[]) {
    this.lines = lines
    this.list = values
  }

  get(name: string): string | undefined {
    const line = this.lines.get(name)
    return line === undefined ? undefined : this.list[line]
  }

  has(name: string): boolean {
    return this.lines.has(name)
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
