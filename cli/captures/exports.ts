import { isObject, isText, type JsonObject, objectOr } from '../../src/internal/index.ts'
import { type Entry, entryOf, MAX_ENTRIES, splitUrl } from './capture.ts'
import { parseHttp } from './http.ts'
import { parseHeaders, serializations } from './json-shape.ts'

/** Parses requests of ngrok's inspector, whose `raw` has the bytes as they came, in base64. */
export function parseNgrok(value: JsonObject): Entry[] | undefined {
  const requests = Array.isArray(value['requests']) ? value['requests'] : [value]
  const found = requests.filter(isObject).flatMap(each => {
    const { request, start } = each
    const { raw } = objectOr(request)
    if (!isText(raw)) return []
    const time = Date.parse(String(start))
    const entries = parseHttp(Buffer.from(raw, 'base64'))
    return Number.isNaN(time) ? entries : entries.map(entry => ({ ...entry, time }))
  })
  return found.length > 0 ? found.slice(0, MAX_ENTRIES) : undefined
}

/** Parses a line of `wrangler tail --format json`, which has no body. */
export function parseWrangler({ event, eventTimestamp }: JsonObject): Entry[] | undefined {
  const { request } = objectOr(event)
  const { method, url, headers } = objectOr(request)
  if (!isText(method) || !isText(url) || !isObject(headers)) return undefined
  const entry = entryOf({ method, ...splitUrl(url), headers: parseHeaders(headers) })
  return [typeof eventTimestamp === 'number' ? { ...entry, time: eventTimestamp } : entry]
}

/** Parses a request or an event of Hookdeck, which has no method and a parsed body. */
export function parseHookdeck({ data, created_at: createdAt }: JsonObject): Entry[] | undefined {
  const { path, query, parsed_query: parsedQuery, headers, body, method } = objectOr(data)
  if (!isText(path) || !isObject(headers) || parsedQuery === undefined) return undefined
  const search = isText(query) && query !== '' ? `?${query.replace(/^\?/, '')}` : ''
  const request = {
    method: isText(method) ? method : 'POST',
    target: path + search,
    headers: parseHeaders(headers),
    notes: isText(method) ? [] : ['Hookdeck does not record the method: POST is assumed']
  }
  const time = Date.parse(String(createdAt))
  const parsed = { otherBodies: serializations(body), lostBody: 'Hookdeck has the body parsed, not its bytes' }
  const entry = entryOf({ ...request, ...(isText(body) ? { body: Buffer.from(body) } : parsed) })
  return [Number.isNaN(time) ? entry : { ...entry, time }]
}

/** Parses a Postman collection, with its folders: each request as Postman would send it. */
export function parsePostman({ info, item }: JsonObject): Entry[] | undefined {
  if (!isObject(info) || !Array.isArray(item)) return undefined
  return postmanItems(item)
}

function postmanItems(items: readonly unknown[]): Entry[] {
  return items.filter(isObject).flatMap(({ item, request }) => {
    if (Array.isArray(item)) return postmanItems(item)
    const { method = 'GET', header = [], url, body } = objectOr(request)
    const raw = isText(url) ? url : objectOr(url)['raw']
    if (!isText(method) || !isText(raw) || !Array.isArray(header)) return []
    const { mode, raw: text } = objectOr(body)
    const isOther = body !== undefined && body !== null && mode !== 'raw'
    return [toSend(method, raw, header, isText(text) ? text : undefined, isOther ? `${mode}` : undefined)]
  })
}

/** Parses an export of Insomnia (version 4): each request as Insomnia would send it. */
export function parseInsomnia({ _type: type, resources }: JsonObject): Entry[] | undefined {
  if (type !== 'export' || !Array.isArray(resources)) return undefined
  return resources
    .filter(isObject)
    .filter(({ _type: type }) => type === 'request')
    .flatMap(({ method, url, headers = [], body }) => {
      if (!isText(method) || !isText(url) || !Array.isArray(headers)) return []
      const { text, params } = objectOr(body)
      return [
        toSend(method, url, headers, isText(text) ? text : undefined, Array.isArray(params) ? 'params' : undefined)
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
  const isOn = (header: unknown) => objectOr(header)['disabled'] !== true
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

/** Where platforms put the event or the log line that a function has written. */
const PLATFORM_MEMBERS = ['message', '@message', 'textPayload', 'jsonPayload', 'log', 'MESSAGE', 'events', 'event']

/** Returns what CloudWatch, Cloud Logging and others wrap: objects, and the JSON in texts. */
export function unwrapPlatform(value: JsonObject): unknown[] {
  const inner = PLATFORM_MEMBERS.flatMap(name => (Object.hasOwn(value, name) ? [value[name]] : [])).flat(1)
  return inner.map(each => (isText(each) ? jsonIn(each) : each)).filter(isObject)
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
