import { fromLambdaEvent, type LambdaEvent } from '../../adapters/lambda.ts'
import type { HeaderLine } from '../../http/request.ts'
import { UsageError } from '../command.ts'
import {
  type Entry,
  entryOf,
  isObject,
  isText,
  type JsonObject,
  MAX_ENTRIES,
  objectOr,
  splitPseudoHeaders
} from './capture.ts'
import { parseFixture } from './fixture.ts'

/** Parses JSON as its shape says: a HAR, a fixture, a Lambda event, an export, or an array of these. */
export function parseJson(text: string): Entry[] {
  const value = parseValue(text)
  const { data, log } = objectOr(value)
  const found = entriesIn(value)
  return found.length > 0 ? found : [data, objectOr(log)['entries']].flatMap(entriesIn)
}

/** Log lines have it under `req` or `request`. */
const entriesIn = (value: unknown): Entry[] =>
  [value]
    .flat(1)
    .slice(0, MAX_ENTRIES)
    .filter(isObject)
    .flatMap(one => entriesOf(one) ?? entriesOf(one['req']) ?? entriesOf(one['request']) ?? [])

const entriesOf = (one: unknown): Entry[] | undefined =>
  isObject(one)
    ? (parseHarEntry(one) ?? parseFixture(one) ?? parseLambdaEvent(one) ?? parseExport(one))
    : undefined

/** Or, as logs have it, one value a line. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    try {
      return text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
    } catch {
      throw new UsageError(`the file looks like JSON but does not parse: ${problemIn(text, error as Error)}`)
    }
  }
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
  const found = BODIES.map(name => value[name]).find(given => given !== undefined && given !== null)
  // JSON.stringify writes a Buffer as { type: 'Buffer', data: [1, 2] }.
  const { type, data } = objectOr(found)
  const body = type === 'Buffer' && Array.isArray(data) ? Buffer.from(data) : found
  const isBase64 = isBase64Encoded === true || ENCODINGS.some(name => value[name] === 'base64')
  const sent = splitUrl(url, query)
  const request = {
    method,
    target: pseudo.get(':path') ?? sent.target,
    authority: pseudo.get(':authority') ?? sent.authority,
    headers,
    body: isText(body)
      ? Buffer.from(body, isBase64 ? 'base64' : 'utf8')
      : Buffer.isBuffer(body)
        ? body
        : null,
    https: typeof https === 'boolean' ? https : sent.https
  }
  return [
    entryOf(request, body === undefined || isText(body) || Buffer.isBuffer(body) ? {} : parsedBody(body))
  ]
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
        `the header ${String(name).slice(0, 60)} is not text: headers must be an object of names and values, pairs, or { name, value }`
      )
    })
  )
}
