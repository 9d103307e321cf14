import { UsageError } from '../../flags/usage-error.ts'
import { type HeaderLine, isObject, isText, type JsonObject, lineValues, objectOr } from '../../src/internal/index.ts'
import { type Entry, entryOf, MAX_ENTRIES, splitUrl } from './capture.ts'
import { parseHttp } from './http.ts'
import { fromBase64, parseHeaders, serializations } from './json-shape.ts'

/** Parses requests of ngrok's inspector, whose `raw` has the bytes as they came, in base64. */
export function parseNgrok(value: JsonObject): Entry[] | undefined {
  const requests = Array.isArray(value['requests']) ? value['requests'] : [value]
  const found = requests.filter(isObject).flatMap(each => {
    const { request, start } = each
    const { raw } = objectOr(request)
    return isText(raw) ? timed(parseHttp(fromBase64(raw)).map(withoutCutBody), start) : []
  })
  if (value['uri'] === '/api/requests/http' && requests.length === 0)
    throw new UsageError('the inspector of ngrok has no requests yet: send one, and save the list again')
  return found.length > 0 ? found.slice(0, MAX_ENTRIES) : undefined
}

/** The inspector stores only the beginning of a long body. */
function withoutCutBody(entry: Entry): Entry {
  const { body, headers } = entry.request
  const [length = ''] = lineValues(headers, 'content-length')
  const size = Buffer.isBuffer(body) ? body.length : 0
  if (!/^\d{1,15}$/.test(length) || Number(length) <= size) return entry
  const lostBody = `the inspector of ngrok has the first ${size} of ${length} bytes of the body`
  return { ...entry, doubts: { ...entry.doubts, lostBody } }
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
export function parsePostman({ info, item, variable }: JsonObject): Entry[] | undefined {
  if (!isObject(info) || !Array.isArray(item)) return undefined
  return postmanItems(item, variablesOf(variable, 'key'))
}

function postmanItems(items: readonly unknown[], variables: Variables): Entry[] {
  return items.filter(isObject).flatMap(({ item, request, response }) => {
    if (Array.isArray(item)) return postmanItems(item, variables)
    const examples = (Array.isArray(response) ? response : []).map(objectOr)
    if (request === undefined)
      return postmanItems(
        examples.map(each => ({ request: each['originalRequest'] ?? {} })),
        variables
      )
    const { method = 'GET', header = [], url, body } = isText(request) ? { url: request } : objectOr(request)
    const raw = isText(url) ? url : postmanUrl(objectOr(url))
    const headers = isText(header) ? header.split(/\r?\n/).flatMap(headerOf) : header
    if (!isText(method) || raw === undefined || !Array.isArray(headers)) return []
    const { mode, raw: text } = objectOr(body)
    const isOther = body !== undefined && body !== null && mode !== 'raw'
    const called = withPathParameters(raw, variablesOf(objectOr(url)['variable'], 'key'))
    return [
      toSend(method, called, headers, isText(text) ? text : undefined, isOther ? `${mode}` : undefined, variables)
    ]
  })
}

/** Splits a line of headers that are written as text. */
const headerOf = (line: string): { name: string; value: string }[] => {
  const [, name, value] = /^([^:]+):[ \t]*(.*)$/.exec(line) ?? []
  return name === undefined || value === undefined ? [] : [{ name, value }]
}

/** Returns the URL that is written, or joins its parts. */
function postmanUrl({ raw, protocol = 'https', host, port, path, query }: JsonObject): string | undefined {
  if (isText(raw)) return raw
  if (!Array.isArray(host) && !isText(host)) return undefined
  const segments = [path ?? []].flat(1).map(part => (isText(part) ? part : objectOr(part)['value']))
  const authority = [host].flat(1).join('.') + (isText(port) && port !== '' ? `:${port}` : '')
  return `${protocol}://${authority}/${segments.join('/').replace(/^\//, '')}${queryOf(query, 'key')}`
}

/** The values of variables, by their names. */
type Variables = ReadonlyMap<string, string>

const textsOf = (pairs: readonly (readonly unknown[])[]): Variables =>
  new Map(pairs.filter((pair): pair is [string, string] => pair.every(isText)))

const variablesOf = (list: unknown, name: 'key' | 'name'): Variables =>
  textsOf((Array.isArray(list) ? list : []).map(objectOr).map(each => [each[name], each['value']]))

/** Fills in the parameters of a path, which are written `:name`. */
function withPathParameters(url: string, values: Variables): string {
  const [path = '', ...query] = url.split(/(?=\?)/)
  return path.replace(/(?<=\/):([\w-]+)/g, (found, name) => values.get(name) ?? found) + query.join('')
}

/** A variable may stand in the value of another, or of itself. */
const MAX_ROUNDS = 4
const MAX_FILLED = 100_000

/** Replaces {{name}}, and {{ _.name }} of Insomnia, by its value. */
function fillIn(text: string, variables: Variables): string {
  let filled = text
  const names = /\{\{\s{0,9}(?:_\.)?([\w.-]{1,100})\s{0,9}\}\}/g
  for (let round = 0; variables.size > 0 && round < MAX_ROUNDS && filled.length < MAX_FILLED; round++)
    filled = filled.replace(names, (found, name) => variables.get(name)?.slice(0, 2000) ?? found)
  return filled
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
  const all = resources.filter(isObject)
  // The base environment comes first, and the others replace its values.
  const environments = all.filter(({ _type: type }) => type === 'environment')
  const variables = textsOf(environments.flatMap(({ data }) => Object.entries(objectOr(data))))
  return all
    .filter(({ _type: type }) => type === 'request')
    .flatMap(({ method, url, headers = [], parameters, pathParameters, body }) => {
      if (!isText(method) || !isText(url) || !Array.isArray(headers)) return []
      const { text, params } = objectOr(body)
      const query = queryOf(parameters, 'name')
      const withQuery = url.includes('?') ? url + query.replace('?', '&') : url + query
      const called = withPathParameters(withQuery, variablesOf(pathParameters, 'name'))
      const otherMode = Array.isArray(params) ? 'params' : undefined
      return [toSend(method, called, headers, isText(text) ? text : undefined, otherMode, variables)]
    })
}

/** Makes an entry of a request that a client is about to send. */
function toSend(
  method: string,
  written: string,
  headers: readonly unknown[],
  text: string | undefined,
  otherMode: string | undefined,
  variables: Variables
): Entry {
  const url = fillIn(written, variables)
  const lines = parseHeaders(headers.filter(isOn)).map(([name, value]): HeaderLine => [name, fillIn(value, variables)])
  const body = text === undefined ? null : Buffer.from(fillIn(text, variables))
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
