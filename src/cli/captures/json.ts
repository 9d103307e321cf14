import { fromLambdaEvent, type LambdaEvent } from '../../adapters/lambda.ts'
import type { VectorJson } from '../../fixture/form.ts'
import { optionsOfVector, requestOfVector } from '../../fixture/setup.ts'
import type { HeaderLine } from '../../http/request.ts'
import { UsageError } from '../command.ts'
import { type Entry, entryOf, MAX_ENTRIES, splitPseudoHeaders } from './capture.ts'

/** None of the names that are asked for is on a prototype. */
type JsonObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const objectOr = (value: unknown): JsonObject => (isObject(value) ? value : {})

const isText = (value: unknown): value is string => typeof value === 'string'

/** The requests in JSON, as its shape says: a HAR, a fixture, a Lambda event, an export, or an array of these. */
export function parseJson(value: unknown): Entry[] {
  const { data, log } = objectOr(value)
  const found = entriesIn(value)
  return found.length > 0 ? found : [data, objectOr(log)['entries']].flatMap(entriesIn)
}

const entriesIn = (value: unknown): Entry[] => [value].flat(1).slice(0, MAX_ENTRIES).flatMap(entriesOf)

/** Log lines have it under `req` or `request`. */
function entriesOf(one: unknown): Entry[] {
  const { req, request } = objectOr(one)
  for (const value of [one, req, request].filter(isObject)) {
    const found = parseHarEntry(value) ?? parseFixture(value) ?? parseLambdaEvent(value) ?? parseExport(value)
    if (found !== undefined) return found
  }
  return []
}

/** HTTP Archive 1.2, `log.entries`. A fixture also has a `request`, with a target instead of a URL. */
function parseHarEntry({ request, startedDateTime }: JsonObject): Entry[] | undefined {
  const { method, url, headers, postData } = objectOr(request)
  if (!isText(method) || !isText(url) || !Array.isArray(headers)) return undefined
  const { text: body, encoding } = objectOr(postData)
  const time = Date.parse(String(startedDateTime))
  const entries = parseExport({ method, url, headers, body, encoding })
  return Number.isNaN(time) ? entries : entries?.map(entry => ({ ...entry, time }))
}

/**
 * An event of API Gateway, a function URL or a load balancer, as it appears in a log. The adapter is the one that the
 * receiver uses, so that the verdict is the same.
 */
function parseLambdaEvent(event: JsonObject): Entry[] | undefined {
  const { httpMethod, path, rawPath, requestContext } = event
  const isFormat2 = isText(rawPath) && isObject(objectOr(requestContext)['http'])
  if (!isFormat2 && !(isText(httpMethod) && isText(path))) return undefined
  try {
    const { headers, ...request } = fromLambdaEvent(event as LambdaEvent)
    const lines = [...(headers as Iterable<HeaderLine>)]
    if (![request.method, request.target, ...lines.flat()].every(isText)) throw new TypeError()
    return [entryOf({ ...request, headers: lines })]
  } catch {
    // The adapter relies on the platform for the types; a file may have anything.
    throw new UsageError(
      'the Lambda event has a field of a wrong type; its body must be a string, as before any middleware parsed it'
    )
  }
}

const TARGETS = ['target', 'originalUrl', 'url', 'path']
const BODIES = ['rawBody', 'bodyRaw', 'content', 'body', 'payload', 'data', 'text']
const ENCODINGS = ['encoding', 'bodyEncoding', 'contentEncoding']

/** `{ method, url, headers, body }`, as sites that inspect requests export it, or as a log line. */
function parseExport(value: JsonObject): Entry[] | undefined {
  const { method, query, https, isBase64Encoded } = value
  const url = TARGETS.map(name => value[name]).find(isText)
  if (!isText(method) || url === undefined || typeof (value['headers'] ?? '') !== 'object') return undefined
  // Browsers write the pseudo-headers of HTTP/2 among the others.
  const { pseudo, headers } = splitPseudoHeaders(parseHeaders(value['headers']))
  const sent = splitUrl(url, query)
  const found = BODIES.map(name => value[name]).find(given => given !== undefined && given !== null)
  const isBase64 = isBase64Encoded === true || ENCODINGS.some(name => value[name] === 'base64')
  const body = bytesOf(found, isBase64 ? 'base64' : 'utf8')
  const request = {
    method,
    target: pseudo.get(':path') ?? sent.target,
    authority: pseudo.get(':authority') ?? sent.authority,
    headers,
    body: body ?? null,
    https: typeof https === 'boolean' ? https : sent.https
  }
  return [entryOf(request, found !== undefined && body === undefined ? parsedBody(found) : {})]
}

/** Of text, or of a Buffer as JSON.stringify writes it. A body that was parsed has none. */
function bytesOf(body: unknown, encoding: 'base64' | 'utf8'): Buffer | undefined {
  const { type, data } = objectOr(body)
  if (type === 'Buffer' && Array.isArray(data)) return Buffer.from(data)
  return isText(body) ? Buffer.from(body, encoding) : undefined
}

/** As JavaScript writes it, compact and indented, and as Python does; each with and without a newline. */
function parsedBody(body: unknown): Partial<Entry> {
  try {
    const indented = JSON.stringify(body, null, 1)
    const spaced = indented.replace(/\n */g, ' ').replace(/([{[]) | ([}\]])/g, '$1$2')
    const texts = [JSON.stringify(body), spaced, JSON.stringify(body, null, 2)]
    const note =
      'the capture has a body that was parsed: written as JSON again, these are the bytes that were signed'
    return {
      missingBody: 'the capture has the body parsed, and its bytes as sent are lost',
      otherBodies: texts.flatMap(text => [text, `${text}\n`]).map(text => [Buffer.from(text), note])
    }
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
  const lines: unknown[][] = Array.isArray(headers)
    ? headers.map(line => (Array.isArray(line) ? line : [line?.name ?? line?.key, line?.value]))
    : Object.entries(headers as object)
  return lines.flatMap(([name, values, ...others]) =>
    [values].flat(1).map((value: unknown): HeaderLine => {
      if (isText(name) && others.length === 0 && /^(?:string|number|boolean)$/.test(typeof value))
        return [name, String(value)]
      throw new UsageError(
        `the header ${String(name).slice(0, 60)} is not text: headers must be an object of names and values, pairs, or { name, value } (of Node.js req.headers, not req.rawHeaders)`
      )
    })
  )
}

/** Any of these makes an object with a request a vector: other formats that wrap one have none of them. */
const OF_VECTORS = ['dns', 'options', 'verdict', 'now']

/** Every vector of a fixture document, or a single vector, each with its own options. Undefined for another shape. */
export function parseFixture(value: JsonObject): Entry[] | undefined {
  const { vectors = [value], request } = value
  const isVector = isObject(request) && ('https' in request || OF_VECTORS.some(name => name in value))
  if (!isVector && !('vectors' in value)) return undefined
  if (!Array.isArray(vectors) || vectors.length === 0) throw new UsageError('the fixture has no vectors')
  return vectors.map(found => {
    assertVector(found)
    const { request, name, ...context } = found
    const received = requestOfVector({ request: { ...request, body: request.body ?? null } })
    const sent = { ...received, headers: parseHeaders(request.headers) }
    return entryOf(sent, { options: optionsOfVector(context), name })
  })
}

/** What decides must have its form. @throws UsageError */
function assertVector(vector: unknown): asserts vector is VectorJson {
  const { request, options = {}, dns = {}, now = '2000-01-01', replayStore = 'empty' } = objectOr(vector)
  const { headers, body = null } = objectOr(request)
  const lines = isObject(headers) ? Object.entries(headers) : [headers].flat(1)
  const kinds = ['utf8', 'base64', 'error'].filter(kind => isText(objectOr(body)[kind]))
  const isBody = body === null || kinds.length === 1
  const isDns = isObject(dns) && Object.values(dns).every(isDnsReply)
  const isStore = ['empty', 'claimed', 'error'].includes(String(replayStore))
  const rules: readonly (readonly [isRight: boolean, name: string, form: string])[] = [
    [isObject(request), 'request', '{ method, target, headers, body, https }'],
    [lines.every(isHeader), 'request.headers', 'pairs of a name and a value, or an object'],
    [isBody, 'request.body', 'null, { "utf8": text }, { "base64": text } or { "error": code }'],
    [isObject(options) && isListOf(isText)(options['schemes'] ?? []), 'options', 'an object'],
    [isDns, 'dns', 'TXT records by name, [["v=DKIM1; p=..."]], or an error by name'],
    [!Number.isNaN(Date.parse(String(now))), 'now', 'a time, "2026-11-20T12:00:00Z"'],
    [isStore, 'replayStore', '"empty", "claimed" or "error"']
  ]
  const [, name, form] = rules.find(([isRight]) => !isRight) ?? []
  if (name !== undefined) throw new UsageError(`the ${name} of the fixture must be ${form}`)
}

const isListOf = (isItem: (item: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(isItem)

const isDnsReply = (reply: unknown): boolean =>
  isObject(reply) ? isText(reply['error']) || reply['error'] === null : isListOf(isListOf(isText))(reply)

const isHeader = (line: unknown): boolean =>
  Array.isArray(line) && line.length === 2 && isText(line[0]) && [line[1]].flat(1).every(isText)
