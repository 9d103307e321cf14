import { isObject, isText, type JsonObject, objectOr } from '../../src/internal/index.ts'
import { type Entry, entryOf, MAX_ENTRIES, splitUrl } from './capture.ts'
import { parseHttp } from './http.ts'
import { fromBase64, parseHeaders, serializations } from './json-shape.ts'

/** Parses requests of ngrok's inspector, whose `raw` has the bytes as they came, in base64. */
export function parseNgrok(value: JsonObject): Entry[] | undefined {
  const requests = Array.isArray(value['requests']) ? value['requests'] : [value]
  const found = requests.filter(isObject).flatMap(each => {
    const { request, start } = each
    const { raw } = objectOr(request)
    return isText(raw) ? timed(parseHttp(fromBase64(raw)), start) : []
  })
  return found.length > 0 ? found.slice(0, MAX_ENTRIES) : undefined
}

/** Parses a line of `wrangler tail --format json`, which has no body. */
export function parseWrangler({ event, eventTimestamp }: JsonObject): Entry[] | undefined {
  const { request } = objectOr(event)
  const { method, url, headers } = objectOr(request)
  if (!isText(method) || !isText(url) || !isObject(headers)) return undefined
  const notes = url.includes('REDACTED')
    ? ['Cloudflare writes REDACTED for what looks like a secret in the URL, so the target is not the one that was sent']
    : []
  return timed([entryOf({ method, ...splitUrl(url), headers: parseHeaders(headers), notes })], eventTimestamp)
}

/** Parses a request or an event of Hookdeck, which has no method and a parsed body. */
export function parseHookdeck({
  data,
  ingested_at: ingestedAt,
  created_at: createdAt
}: JsonObject): Entry[] | undefined {
  const { path, query, parsed_query: parsedQuery, headers: written, body, method } = objectOr(data)
  const headers = isText(written) ? jsonIn(written) : written
  if (!isText(path) || !isObject(headers) || parsedQuery === undefined) return undefined
  const search = isText(query) && query !== '' ? `?${query.replace(/^\?/, '')}` : ''
  const request = {
    method: isText(method) ? method : 'POST',
    target: path + search,
    headers: parseHeaders(Object.entries(headers).filter(([, value]) => value !== null)),
    notes: isText(method) ? [] : ['Hookdeck does not record the method: POST is assumed']
  }
  const parsed = { otherBodies: serializations(body), lostBody: 'Hookdeck stores the parsed body, not its bytes' }
  const entry = entryOf({ ...request, ...(isText(body) ? { body: Buffer.from(body) } : parsed) })
  return timed([entry], ingestedAt ?? createdAt)
}

/** Parses a Postman collection, with its folders: each request as Postman would send it. */
export function parsePostman({ info, item }: JsonObject): Entry[] | undefined {
  if (!isObject(info) || !Array.isArray(item)) return undefined
  return postmanItems(item)
}

function postmanItems(items: readonly unknown[]): Entry[] {
  return items.filter(isObject).flatMap(({ item, request }) => {
    if (Array.isArray(item)) return postmanItems(item)
    const { method = 'GET', header = [], url, body } = isText(request) ? { url: request } : objectOr(request)
    const raw = isText(url) ? url : postmanUrl(objectOr(url))
    const headers = isText(header) ? header.split(/\r?\n/).flatMap(headerOf) : header
    if (!isText(method) || raw === undefined || !Array.isArray(headers)) return []
    const { mode, raw: text } = objectOr(body)
    const isOther = body !== undefined && body !== null && mode !== 'raw'
    return [toSend(method, raw, headers, isText(text) ? text : undefined, isOther ? `${mode}` : undefined)]
  })
}

/** Splits a line of headers that are written as text. */
const headerOf = (line: string): { name: string; value: string }[] => {
  const [, name, value] = /^([^:]+):[ \t]*(.*)$/.exec(line) ?? []
  return name === undefined || value === undefined ? [] : [{ name, value }]
}

/** Returns the URL that is written, or joins its parts. */
function postmanUrl({ raw, protocol = 'https', host, path, query }: JsonObject): string | undefined {
  if (isText(raw)) return raw
  if (!Array.isArray(host)) return undefined
  const segments = Array.isArray(path) ? path.map(part => (isText(part) ? part : objectOr(part)['value'])) : []
  return `${protocol}://${host.join('.')}/${segments.join('/')}${queryOf(query, 'key')}`
}

/** Writes the parameters of a client that are on, as a query. */
function queryOf(parameters: unknown, name: 'key' | 'name'): string {
  const all = Array.isArray(parameters) ? parameters.map(objectOr) : []
  const pairs = all.filter(isOn).map(each => `${each[name]}=${each['value'] ?? ''}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

const isOn = (part: unknown): boolean => objectOr(part)['disabled'] !== true

/** Parses an export of Insomnia (version 4): each request as Insomnia would send it. */
export function parseInsomnia({ _type: type, resources }: JsonObject): Entry[] | undefined {
  if (type !== 'export' || !Array.isArray(resources)) return undefined
  return resources
    .filter(isObject)
    .filter(({ _type: type }) => type === 'request')
    .flatMap(({ method, url, headers = [], parameters, body }) => {
      if (!isText(method) || !isText(url) || !Array.isArray(headers)) return []
      const { text, params } = objectOr(body)
      const query = queryOf(parameters, 'name')
      const called = url.includes('?') ? url + query.replace('?', '&') : url + query
      return [
        toSend(method, called, headers, isText(text) ? text : undefined, Array.isArray(params) ? 'params' : undefined)
      ]
    })
}

/** Makes an entry of a request that a client is about to send. */
function toSend(
  method: string,
  url: string,
  headers: readonly unknown[],
  text: string | undefined,
  otherMode: string | undefined
): Entry {
  const lines = parseHeaders(headers.filter(isOn))
  const body = text === undefined ? null : Buffer.from(text)
  const isCounted = body !== null && !lines.some(([name]) => name.toLowerCase() === 'content-length')
  const isTemplate = /\{\{/.test(url + lines.flat().join())
  return entryOf({
    method,
    ...splitUrl(url),
    headers: isCounted ? [...lines, ['Content-Length', String(body.length)]] : lines,
    body,
    lostBody: otherMode === undefined ? undefined : 'the body of this mode is made when the request is sent',
    notes: [
      'this is what the client would send; it adds headers such as User-Agent by itself',
      ...(isTemplate ? ['{{...}} stands for variables, whose values are not in the file'] : [])
    ]
  })
}

/** Lists the members in which platforms put the event or the log line of a function. */
const PLATFORM_MEMBERS = ['message', '@message', 'textPayload', 'jsonPayload', 'log', 'MESSAGE', 'events', 'event']

/** Returns what CloudWatch, Cloud Logging and others wrap: objects, and the JSON in texts. */
export function unwrapPlatform(value: JsonObject): unknown[] {
  const { results } = value
  if (Array.isArray(results)) return results.flat(1).filter(isObject).flatMap(fieldOf)
  const inner = PLATFORM_MEMBERS.flatMap(name => (Object.hasOwn(value, name) ? [value[name]] : [])).flat(1)
  return inner.map(each => (isText(each) ? jsonIn(each) : each)).filter(isObject)
}

/** Returns the JSON in a field of Logs Insights. */
function fieldOf({ field, value }: JsonObject): unknown[] {
  return isText(field) && PLATFORM_MEMBERS.includes(field) && isText(value) ? [jsonIn(value)].filter(isObject) : []
}

/** The year 1973 in milliseconds, or 5138 in seconds. */
const MIN_MILLISECONDS = 100_000_000_000

/** Adds the time at which the requests came, if the capture has it: a number in milliseconds or seconds, or a date. */
export function timed(entries: readonly Entry[], written: unknown): Entry[] {
  // A date without a zone is in UTC: sites write it so, for requests from everywhere.
  const text = isText(written) ? written.replace(/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)$/, '$1T$2Z') : ''
  const number = typeof written === 'number' ? written : Number.NaN
  const time = isText(written) ? Date.parse(text) : Math.round(number < MIN_MILLISECONDS ? number * 1000 : number)
  return entries.map(entry => (Number.isSafeInteger(time) && time > 0 ? { ...entry, time } : entry))
}

/** Parses the JSON at the end of a line. Returns undefined for a line without JSON. */
export function jsonIn(line: string): unknown {
  const start = line.indexOf('{')
  if (start < 0 || !line.trimEnd().endsWith('}')) return undefined
  try {
    return JSON.parse(line.slice(start))
  } catch {
    return undefined
  }
}
