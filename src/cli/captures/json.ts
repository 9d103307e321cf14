import { UsageError } from '../usage.ts'
import { type Capture, type Entry, MAX_ENTRIES } from './capture.ts'
import { isFixture, parseFixture } from './fixture.ts'
import { isHar, isHarEntry, parseHar, parseHarEntry } from './har.ts'
import { isObject, own } from './json-object.ts'
import { isJsonRequest, parseJsonRequest } from './json-request.ts'
import { isLambdaEvent, parseLambdaEvent } from './lambda.ts'

/** Where exports put the request, or the list of them. */
const WRAPPERS = ['requests', 'data', 'items', 'results', 'entries', 'request', 'event', 'body']

/** Parses JSON as its shape says: a HAR, a fixture, a Lambda event or an export. Undefined for another shape. */
export function parseJsonCapture(text: string): Capture | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UsageError('the file looks like JSON but does not parse: is it cut off?')
  }
  return captureOf(value) ?? unwrapped(value)
}

function captureOf(value: unknown): Capture | undefined {
  if (Array.isArray(value)) return listOf(value)
  if (!isObject(value)) return undefined
  if (isHar(value)) return { format: 'a HAR', entries: parseHar(value), notes: [] }
  if (isHarEntry(value)) return one('a HAR entry', parseHarEntry(value))
  if (isFixture(value)) return { format: 'a fixture', entries: parseFixture(value), notes: [] }
  if (isLambdaEvent(value)) return one('a Lambda event', parseLambdaEvent(value))
  if (isJsonRequest(value)) return one('a JSON export', parseJsonRequest(value))
  return undefined
}

const one = (format: string, entry: Entry): Capture => ({ format, entries: [entry], notes: [] })

function unwrapped(value: unknown): Capture | undefined {
  if (!isObject(value)) return undefined
  for (const name of WRAPPERS) {
    const found = captureOf(own(value, name))
    if (found !== undefined) return found
  }
  return undefined
}

/** An array of requests; other elements are skipped. */
function listOf(values: readonly unknown[]): Capture | undefined {
  const captures = values
    .slice(0, MAX_ENTRIES)
    .map(value => (Array.isArray(value) ? undefined : captureOf(value)))
    .filter(capture => capture !== undefined)
  const [first] = captures
  return first && { format: first.format, entries: captures.flatMap(({ entries }) => entries), notes: [] }
}
