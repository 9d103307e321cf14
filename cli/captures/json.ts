import { UsageError } from '../../flags/usage-error.ts'
import { fromLambdaEvent, type LambdaEvent } from '../../src/index.ts'
import {
  DEFAULTS,
  escapeText,
  type HeaderLine,
  isObject,
  isText,
  isVerdict,
  type JsonObject,
  lineValues,
  objectOr,
  optionsOfVector,
  requestOfVector,
  wrongMember
} from '../../src/internal/index.ts'
import type { VectorBody, VectorJson } from '../../src/testing/index.ts'
import { digestsIn, type Entry, entryOf, hasDigest, MAX_ENTRIES, splitPseudoHeaders, splitUrl } from './capture.ts'
import {
  parseHookdeck,
  parseInsomnia,
  parseNgrok,
  parsePostman,
  parseWrangler,
  timed,
  unwrapPlatform
} from './exports.ts'
import type { FormatName } from './formats.ts'
import { fromBase64, parseHeaders, serializations } from './json-shape.ts'

/**
 * Finds the requests in JSON by the shape of each value: a HAR, a fixture, a Lambda event, an export, or an array.
 *
 * @throws UsageError; any other error for a value of a wrong type, and RangeError for JSON that is nested too deeply
 */
export const parseJson = (values: readonly unknown[]): Entry[] =>
  values.flat(1).slice(0, MAX_ENTRIES).flatMap(entriesOf)

/** Parsers, each under the name of its format, in the order in which they are tried. */
type Parsers = Readonly<Partial<Record<FormatName, (value: JsonObject) => Entry[] | undefined>>>

/** The formats of programs and sites: the whole value is theirs. */
const EXPORTS: Parsers = {
  'Postman collection': parsePostman,
  'Insomnia export (version 4)': parseInsomnia,
  "ngrok's inspector": parseNgrok,
  'wrangler tail as JSON': parseWrangler,
  'Hookdeck request or event': parseHookdeck
}

/** The forms of one request, which may stand under `req` or `request`. HAR, Svix and webhook.site have the last one. */
const REQUESTS: Parsers = { fixture: parseFixture, 'AWS Lambda event': parseLambdaEvent, 'other JSON': parseExport }

function firstFound(parsers: Parsers, value: JsonObject): Entry[] | undefined {
  for (const parse of Object.values(parsers)) {
    const found = parse(value)
    if (found !== undefined) return found
  }
  return undefined
}

/** Finds requests: an entry of a HAR has one under `request`, log lines have one under `req` or `request`. */
function entriesOf(value: unknown): Entry[] {
  const { req, request, startedDateTime, created_at: createdAt, data, log, models } = objectOr(value)
  if (isObject(value)) {
    const exported = firstFound(EXPORTS, value)
    if (exported !== undefined) return exported
  }
  for (const one of [value, req, request].filter(isObject)) {
    const found = firstFound(REQUESTS, one)
    if (found !== undefined)
      return timed(found, startedDateTime ?? createdAt ?? objectOr(value)['createdAt'] ?? timeOfEvent(one))
  }
  const lists = [data, models, objectOr(log)['entries']].flat(1).filter(isObject)
  return [...lists, ...(isObject(value) ? unwrapPlatform(value) : [])].flatMap(entriesOf)
}

/** Returns when an event of API Gateway or a function URL came, in milliseconds. */
function timeOfEvent({ requestContext }: JsonObject): unknown {
  const { timeEpoch, requestTimeEpoch } = objectOr(requestContext)
  return timeEpoch ?? requestTimeEpoch
}

/**
 * Parses an event of API Gateway, a function URL or a load balancer, as it appears in a log. Uses the adapter of the
 * receiver, so that the verdict is the same.
 */
function parseLambdaEvent(event: JsonObject): Entry[] | undefined {
  if (!('httpMethod' in event || 'rawPath' in event)) return undefined
  if (event['isBase64Encoded'] === true && isText(event['body'])) fromBase64(event['body'])
  const { headers, ...request } = fromLambdaEvent(event as LambdaEvent)
  const lines = parseHeaders([...(headers as Iterable<HeaderLine>)])
  // A load balancer may listen without TLS, and says in a header whether it did; it replaces what the sender wrote.
  const isHttps = !request.https && lineValues(lines, 'x-forwarded-proto').join() === 'https'
  const notes = isHttps ? ['X-Forwarded-Proto of the load balancer is https, so the request counts as HTTPS'] : []
  return [entryOf({ ...request, headers: lines, https: request.https || isHttps, notes })]
}

const TARGETS = ['target', 'originalUrl', 'url', 'path']
const BODIES = ['rawBody', 'bodyRaw', 'content', 'body', 'payload', 'data', 'text']
const ENCODINGS = ['encoding', 'bodyEncoding', 'contentEncoding']

/** Matches base64 of whole bytes. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const DECODED = 'the body is base64 in the file: decoded, these are the bytes that were signed'

/** Parses `{ method, url, headers, body }`, as in a HAR, as sites that inspect requests export it, or as a log line. */
function parseExport(item: JsonObject): Entry[] | undefined {
  // A HAR has the body and its encoding under postData.
  const posted = Object.entries(objectOr(item['postData'])).filter(([name]) => [...BODIES, ...ENCODINGS].includes(name))
  const value: JsonObject = { ...item, ...Object.fromEntries(posted) }
  const { method, headers, https, query } = value
  const url = TARGETS.map(name => value[name]).find(isText)
  if (!isText(method) || url === undefined || typeof (headers ?? '') !== 'object') return undefined
  // Browsers write the pseudo-headers of HTTP/2 among the others.
  const { headers: lines, ...pseudo } = splitPseudoHeaders(parseHeaders(headers))
  const { target, authority, protocol } = splitUrl(url)
  // A query that a framework has parsed is serialized again.
  const search = searchOf(query)
  const request = {
    method,
    target: pseudo.target ?? (target.includes('?') ? target : target + search),
    headers: lines,
    authority: pseudo.authority ?? authority,
    protocol,
    ...(typeof https === 'boolean' && { https }),
    notes: isObject(query) && search !== '' && pseudo.target === undefined && !target.includes('?') ? [REWRITTEN] : []
  }
  const body = BODIES.map(name => value[name]).find(found => found !== undefined && found !== null)
  const isBase64 = value['isBase64Encoded'] === true || ENCODINGS.some(name => value[name] === 'base64')
  // A Buffer, in the form that JSON.stringify gives it.
  const { type, data } = objectOr(body)
  if (isText(body) && isBase64) return [entryOf({ ...request, body: fromBase64(body) })]
  // Some exports, such as those of Svix, have base64 without saying so: the digest decides.
  const otherBodies = isText(body) && BASE64.test(body) ? [[Buffer.from(body, 'base64'), DECODED] as const] : []
  const isDecoded = (bytes: Buffer) => hasDigest(digestsIn(lines), bytes)
  if (isText(body))
    return [
      entryOf({ ...request, body: Buffer.from(body), otherBodies: otherBodies.filter(([bytes]) => isDecoded(bytes)) })
    ]
  if (type === 'Buffer' && Array.isArray(data) && data.every(isOctet))
    return [entryOf({ ...request, body: Buffer.from(data) })]
  if (body === undefined) return [entryOf(request)]
  const lostBody = 'the capture has only the parsed body, not its bytes as sent'
  return [entryOf({ ...request, otherBodies: serializations(body), lostBody })]
}

const isOctet = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 256

const REWRITTEN = 'the query was parsed: it is written again, and may differ from the one that was sent'

/** Returns a query that is text, or serializes one that a framework has parsed. @throws UsageError */
function searchOf(query: unknown): string {
  const pairs = Object.entries(objectOr(query)).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => {
      if (!isObject(value)) return [name, String(value)]
      throw new UsageError('the query has objects in it, and nobody knows how they were sent: save the URL as received')
    })
  )
  const text = isText(query) ? query : String(new URLSearchParams(pairs))
  return text === '' ? '' : text.replace(/^\??/, '?')
}

/**
 * Returns every vector of a fixture document, or a single vector, each with its own options. Undefined for another
 * shape.
 */
export function parseFixture(value: JsonObject): Entry[] | undefined {
  const { vectors = [value], request } = value
  // Other formats that wrap a request have none of these.
  const isContext = ['dns', 'options', 'verdict', 'now'].some(name => name in value)
  const isVector = isObject(request) && ('https' in request || isContext)
  if (!isVector && !('vectors' in value)) return undefined
  if (!Array.isArray(vectors) || vectors.length === 0) throw new UsageError('the fixture has no vectors')
  return vectors.map((vector: VectorJson) => {
    const wrong = wrongMember(vector)
    if (wrong !== undefined)
      throw new UsageError(`the ${wrong} of the fixture does not follow schema.json of signed-requests-vectors`)
    const { request, name, note, ...context } = vector
    const received = requestOfVector({ request, options: context.options })
    const lostBody = lostPart(request.body ?? null, context.options?.maxBodyBytes)
    const entry = entryOf({ ...received, headers: parseHeaders(request.headers), lostBody })
    const notes = typeof note !== 'string' ? entry.notes : [...entry.notes, `in the fixture: ${escapeText(note)}`]
    return { ...entry, notes, options: optionsOfVector({ ...context, request }), name, refusedWith: refusalIn(vector) }
  })
}

/** Returns the code with which the receiver refused a recorded request. */
function refusalIn({ verdict }: Partial<VectorJson>): string | undefined {
  return isVerdict(verdict) && verdict?.status !== 'verified' ? verdict?.failures[0]?.code : undefined
}

/** Says that a fixture has only the beginning of a body, unless the length alone decides: it may be above the limit. */
function lostPart(body: VectorBody | null, maxBodyBytes: number = DEFAULTS.maxBodyBytes): string | undefined {
  if (body === null || !('length' in body) || body.length === undefined || body.length > maxBodyBytes) return undefined
  return `the fixture has only the beginning of the body, which had ${body.length} bytes`
}
