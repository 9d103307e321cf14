import { isObject, type JsonObject } from '../../../src/internal/index.ts'

/** One refused or verified request, as a log line or a recorder's file tells of it. */
export interface Incident {
  /** milliseconds since 1970; undefined where neither the record nor its logger has a time */
  readonly time: number | undefined
  readonly status: string
  /** the code of the main failure; undefined when verified */
  readonly code: string | undefined
  readonly signedUnderDomain: boolean
  /** whether the published key made a signature that does not verify; undefined where that is unknown */
  readonly madeByKey: boolean | undefined
  readonly keyId: string | undefined
  readonly accountId: string | undefined
  readonly host: string | undefined
  /** the likely cause and its fix, where the log has them */
  readonly advice?: { readonly cause: string; readonly fix: string } | undefined
  /** how many requests of the same kind the log left out before this one */
  readonly leftOut: number
}

/** `logRecord` cuts what a sender chose to this; a longer text is not from it. */
const MAX_TEXT = 255

/** Limits the characters of a cause, and of a fix. */
const MAX_ADVICE = 4000

const textOr = (value: unknown, longest = MAX_TEXT): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= longest ? value : undefined

/** Loggers and platforms wrap a record in other objects: `{ log: "{ ... }" }` in `{ message: ... }` is two deep. */
const MAX_DEPTH = 5

const STATUSES: readonly unknown[] = ['verified', 'rejected', 'unavailable']

/** Matches the names of codes, and nothing that a sender could put in their place. */
const CODE = /^[a-z][a-z0-9-]{1,59}$/

/**
 * The members in which loggers, platforms and applications put a record. Other members may hold what a sender wrote,
 * such as a URL or a body, and anybody can write a record.
 */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...['message', 'msg', 'MESSAGE', '@message', 'log', 'line', 'textPayload', 'jsonPayload', 'events', 'logEvents'],
  ...['meta', 'metadata', 'context', 'extra', 'details', 'attributes', 'fields', 'record', 'refused', 'verdict']
])

/** The members in which loggers and platforms give the time, the record's own first. */
const TIMES = ['time', 'timestamp', '@timestamp', 'ts', 'datetime', '__REALTIME_TIMESTAMP', 'receiveTimestamp']

/** A member that every record has. */
const EVERY_RECORD = 'signedUnderDomain'

/**
 * Finds the records of `logRecord` in one line of a log: the line itself, or what pino, winston, CloudWatch, Docker,
 * Kubernetes, journald or Cloud Logging make of it.
 */
export function incidentsIn(line: string): Incident[] {
  // Most lines of a log that holds other things are skipped without parsing. Quotes may be escaped.
  if (!line.includes(EVERY_RECORD)) return []
  const found: Incident[] = []
  const trimmed = line.trim()
  const value = parseLine(trimmed.endsWith(',') ? trimmed.slice(0, -1) : trimmed)
  collect(value, timeOf(line.slice(0, Math.max(line.indexOf('{'), 0))), 0, found)
  return found
}

/** Returns how many lines the gateway could not write, as the line after them says. */
export function droppedLinesIn(line: string): number {
  if (!line.includes('droppedLines')) return 0
  const [, count] = /(?:^|\s)\{"droppedLines":(\d{1,15})\}\s*$/.exec(line) ?? []
  return Number(count ?? 0)
}

/** Parses a line: an array, a text or a member of an export on several lines, or an object at its end. */
function parseLine(line: string): unknown {
  if (line.startsWith('[')) return parse(line)
  if (line.startsWith('"')) return parse(line) ?? parse(`{${line}}`)
  return parseEnd(line)
}

/**
 * Parses the object with which a text ends. It follows a space, as loggers write it: the target of a request, which
 * some programs log as it came, has none.
 */
function parseEnd(text: string): unknown {
  const start = text.indexOf('{')
  if (start < 0 || (start > 0 && !/\s/.test(text[start - 1]!))) return undefined
  return parse(text.slice(start))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Adds the records in a value, the outermost first. */
function collect(value: unknown, outer: number | undefined, depth: number, found: Incident[]): void {
  if (typeof value === 'string' && value.includes(EVERY_RECORD)) {
    const parsed = parseEnd(value)
    if (parsed !== undefined) collect(parsed, timeOf(value.slice(0, value.indexOf('{'))) ?? outer, depth, found)
    return
  }
  if (depth > MAX_DEPTH) return
  if (Array.isArray(value)) {
    for (const inner of value) collect(inner, outer, depth + 1, found)
    return
  }
  if (!isObject(value)) return
  const time = timeIn(value) ?? outer
  const incident = incidentOf(value, time)
  if (incident !== undefined) found.push(incident)
  else for (const [name, inner] of Object.entries(value)) if (WRAPPERS.has(name)) collect(inner, time, depth + 1, found)
}

/** Reads a record; undefined for any other object. */
function incidentOf(value: JsonObject, time: number | undefined): Incident | undefined {
  const { status, codes, code, signedUnderDomain, madeByKey, leftOut } = value
  if (!STATUSES.includes(status) || !Array.isArray(codes) || typeof signedUnderDomain !== 'boolean') return undefined
  const main = textOr(code) ?? textOr(codes[0])
  if (main !== undefined && !CODE.test(main)) return undefined
  return {
    time,
    status: status as string,
    code: main,
    signedUnderDomain,
    madeByKey: typeof madeByKey === 'boolean' ? madeByKey : undefined,
    keyId: textOr(value['keyId']) ?? textOr(value['claimedKeyId']),
    accountId: textOr(value['accountId']) ?? textOr(value['claimedAccountId']),
    host: textOr(value['claimedHost']),
    advice: adviceOf(value),
    leftOut: Number.isSafeInteger(leftOut) && (leftOut as number) > 0 ? (leftOut as number) : 0
  }
}

function adviceOf(value: JsonObject): Incident['advice'] {
  const [cause, fix] = [textOr(value['cause'], MAX_ADVICE), textOr(value['fix'], MAX_ADVICE)]
  return cause === undefined || fix === undefined ? undefined : { cause, fix }
}

function timeIn(value: JsonObject): number | undefined {
  for (const name of TIMES) {
    const time = timeOf(value[name])
    if (time !== undefined) return time
  }
  return undefined
}

const YEAR_2000 = 946_684_800_000
const YEAR_2100 = 4_102_444_800_000

/** Reads a time: ISO 8601 at the start of a text, or seconds, milliseconds or microseconds since 1970. */
function timeOf(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^\d{10,16}(?:\.\d+)?$/.test(value)) {
    const [iso, day, clock, zone = 'Z'] =
      /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(Z|[+-]\d\d:?\d\d)?/.exec(value.slice(0, 200)) ?? []
    if (iso === undefined) return undefined
    const time = Date.parse(`${day}T${clock!.replace(',', '.').replace(/(\.\d{3})\d+$/, '$1')}${zone}`)
    return Number.isNaN(time) ? undefined : time
  }
  const number = Number(value ?? Number.NaN)
  for (const milliseconds of [number, number * 1000, number / 1000])
    if (milliseconds > YEAR_2000 && milliseconds < YEAR_2100) return milliseconds
  return undefined
}
