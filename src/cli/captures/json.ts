import { fromLambdaEvent, type LambdaEvent } from '../../adapters/lambda.ts'
import type { HeaderLine, ReceivedRequest } from '../../http/request.ts'
import { UsageError } from '../command.ts'
import {
  type Capture,
  type Entry,
  entryOf,
  isObject,
  type JsonObject,
  MAX_ENTRIES,
  withHost
} from './capture.ts'
import { isFixture, parseFixture } from './fixture.ts'

/** Names in a file must not find `Object.prototype`. */
const get = (object: unknown, name: string): unknown =>
  isObject(object) && Object.hasOwn(object, name) ? object[name] : undefined

const isText = (value: unknown): value is string => typeof value === 'string'

/** Parses JSON as its shape says: a HAR, a fixture, a Lambda event or an export. Undefined for another shape. */
export function parseJson(text: string): Capture | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`the file looks like JSON but does not parse: ${problemIn(text, error as Error)}`)
  }
  return captureOf(value) ?? captureOf(get(value, 'data'))
}

/** With the line: Node's messages have the position only, and not always. */
function problemIn(text: string, { message }: Error): string {
  const comma = /,(?=\s*[}\]])/.exec(
    text.replace(/"(?:[^"\\\n]|\\.)*"?/g, string => '_'.repeat(string.length))
  )
  const position = comma?.index ?? Number(/position (\d+)/.exec(message)?.[1] ?? text.length)
  const line = text.slice(0, position).split('\n').length
  if (comma !== null) return `line ${line} has a comma before a closing bracket; remove it`
  return /^\s*\{\s*['A-Za-z_]/.test(text)
    ? 'this is how console.log, or a language other than JSON, prints an object; write JSON.stringify(...) instead'
    : `line ${line} is wrong; is the file cut off?`
}

function captureOf(value: unknown): Capture | undefined {
  if (Array.isArray(value)) {
    const captures = value
      .slice(0, MAX_ENTRIES)
      .flatMap(item => (isObject(item) ? (captureOf(item) ?? []) : []))
    return captures[0] && { format: captures[0].format, entries: captures.flatMap(({ entries }) => entries) }
  }
  const entries = get(get(value, 'log'), 'entries')
  if (Array.isArray(entries))
    return { format: 'a HAR', entries: entries.slice(0, MAX_ENTRIES).filter(isHarEntry).map(parseHarEntry) }
  if (isHarEntry(value)) return { format: 'a HAR entry', entries: [parseHarEntry(value)] }
  if (!isObject(value)) return undefined
  if (isFixture(value)) return { format: 'a fixture', entries: parseFixture(value) }
  if (isLambdaEvent(value)) return { format: 'a Lambda event', entries: [parseLambdaEvent(value)] }
  if (isExport(value)) return { format: 'a JSON export', entries: [parseExport(value)] }
  return undefined
}

/** HTTP Archive 1.2, `log.entries`. A fixture also has a `request`, with a target instead of a URL. */
function isHarEntry(value: unknown): value is JsonObject {
  const request = get(value, 'request')
  return (
    isText(get(request, 'method')) && isText(get(request, 'url')) && Array.isArray(get(request, 'headers'))
  )
}

function parseHarEntry(entry: JsonObject): Entry {
  const request = entry['request'] as JsonObject
  const url = splitUrl(request['url'] as string)
  // Browsers write the pseudo-headers of HTTP/2 among the others.
  const all = parseHeaders(request['headers'])
  const pseudo = (name: string) => all.find(([header]) => header === name)?.[1]
  const data = get(request, 'postData')
  const text = get(data, 'text')
  const time = Date.parse(String(get(entry, 'startedDateTime')))
  return entryOf({
    method: request['method'] as string,
    target: pseudo(':path') ?? url.target,
    headers: withHost(
      pseudo(':authority') ?? url.authority,
      all.filter(([name]) => !name.startsWith(':'))
    ),
    body: isText(text)
      ? Buffer.from(text, get(data, 'encoding') === 'base64' ? 'base64' : 'utf8')
      : undefined,
    https: url.https,
    ...(!Number.isNaN(time) && { time })
  })
}

/** An event of API Gateway, a function URL or a load balancer, as it appears in a log. */
const isLambdaEvent = (value: JsonObject): boolean =>
  (isText(get(value, 'httpMethod')) && isText(get(value, 'path'))) ||
  (isText(get(value, 'rawPath')) && isObject(get(get(value, 'requestContext'), 'http')))

/** Uses the adapter that the receiver uses, so that the verdict is the same. */
function parseLambdaEvent(event: JsonObject): Entry {
  try {
    const { method, target, headers, body, https } = fromLambdaEvent(event as LambdaEvent)
    const lines = [...(headers as Iterable<HeaderLine>)]
    if (!isText(method) || !isText(target) || !lines.flat().every(isText)) throw new TypeError()
    return entryOf({ method, target, headers: lines, body: isText(body) ? Buffer.from(body) : body, https })
  } catch {
    // The adapter relies on the platform for the types; a file may have anything.
    throw new UsageError(
      'the Lambda event has a field of a wrong type; its body must be a string, as before any middleware parsed it'
    )
  }
}

const TARGETS = ['target', 'url', 'originalUrl', 'path']
const BODIES = ['rawBody', 'bodyRaw', 'content', 'body', 'payload', 'data', 'text']

/** `{ method, url, headers, body }`, as sites that inspect requests export it, or as a log line. */
const isExport = (value: JsonObject): boolean =>
  isText(get(value, 'method')) &&
  TARGETS.some(name => isText(get(value, name))) &&
  typeof (get(value, 'headers') ?? '') === 'object'

function parseExport(value: JsonObject): Entry {
  const url = TARGETS.map(name => get(value, name)).find(isText)!
  const { target, authority, https } = splitUrl(url, get(value, 'query'))
  const given = get(value, 'https')
  return entryOf({
    method: get(value, 'method') as string,
    target,
    headers: withHost(authority, parseHeaders(get(value, 'headers'))),
    https: typeof given === 'boolean' ? given : https,
    ...exportedBody(value)
  })
}

function exportedBody(value: JsonObject): { body: ReceivedRequest['body'] } & Partial<Entry> {
  const body = BODIES.map(name => get(value, name)).find(found => found !== undefined && found !== null)
  if (body === undefined) return { body: null }
  if (!isText(body)) {
    const note =
      'the capture has a body that was parsed: written as JSON again, these are the bytes that were signed'
    return {
      body: null,
      missingBody: 'the capture has the body parsed, and its bytes as sent are lost',
      otherBodies: serializations(body).map(text => [Buffer.from(text), note])
    }
  }
  const isBase64 =
    get(value, 'isBase64Encoded') === true ||
    ['encoding', 'bodyEncoding', 'contentEncoding'].some(name => get(value, name) === 'base64')
  return { body: Buffer.from(body, isBase64 ? 'base64' : 'utf8') }
}

/** As JavaScript writes it, compact and indented, and as Python does; each with and without a newline. */
function serializations(body: unknown): string[] {
  try {
    const indented = JSON.stringify(body, null, 1)
    const spaced = indented.replace(/\n */g, ' ').replace(/([{[]) | ([}\]])/g, '$1$2')
    return [JSON.stringify(body), spaced, JSON.stringify(body, null, 2)].flatMap(text => [text, `${text}\n`])
  } catch {
    throw new UsageError('the body is nested too deeply')
  }
}

/** An absolute URL is cut where its path begins, never rebuilt: the target was signed byte for byte. */
export function splitUrl(url: string, query?: unknown) {
  const [, protocol, authority, rest] = /^(https?):\/\/([^/?#\s]*)([^#]*)/is.exec(url) ?? []
  const path = rest === undefined ? url : rest.startsWith('/') ? rest : `/${rest}`
  return {
    target:
      path.includes('?') || !isText(query) || query === '' ? path : `${path}?${query.replace(/^\?/, '')}`,
    authority: authority?.replace(/^.*@/s, ''),
    https: protocol?.toLowerCase() !== 'http'
  }
}

/** An object of names and values, an array of pairs, or an array of `{ name, value }`. */
function parseHeaders(headers: unknown): HeaderLine[] {
  const lines = Array.isArray(headers)
    ? headers.map(line =>
        Array.isArray(line) ? line : [get(line, 'name') ?? get(line, 'key'), get(line, 'value')]
      )
    : Object.entries(headers as object)
  return lines.flatMap(([name, values, ...others]) =>
    [values].flat(1).map((value: unknown): HeaderLine => {
      if (isText(name) && others.length === 0 && /^(?:string|number|boolean)$/.test(typeof value))
        return [name, String(value)]
      throw new UsageError(
        `the header ${String(name).slice(0, 60)} is not text: headers must be an object of names and values, pairs, or { name, value }`
      )
    })
  )
}
