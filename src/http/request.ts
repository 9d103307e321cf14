import { describe } from '../mistakes/describe.ts'

export type HeaderLine = readonly [name: string, value: string]

/** Header lines as received: pairs in order (so repeats are seen), or a record as `node:http` makes it. */
export type ReceivedHeaders =
  | Iterable<HeaderLine>
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** The bytes of a body, available or still to be read. A string is taken as UTF-8; null means no body. */
export type ReceivedBody = Uint8Array | string | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null

/** An HTTP request as it arrived, before anything parsed, decoded or rebuilt it. */
export interface ReceivedRequest {
  /** as received, in its own case */
  method: string
  /** the request-target byte for byte: path and query, never rebuilt through URL */
  target: string
  /** every line as received, Host too */
  headers: ReceivedHeaders
  /** a stream is read only after the signature over the head has been verified */
  body: ReceivedBody
  /** did it arrive over TLS */
  https: boolean
  /** an adapter's notes for the evidence of a failed check; no check depends on them */
  forwarded?: ForwardedNotes | undefined
}

/** By the option that names it: a forwarding header that an adapter was told to trust and could not use. */
export interface ForwardedNotes {
  https?: ForwardedNote
  host?: ForwardedNote
}

export interface ForwardedNote {
  header: string
  /** all its values: none, several, or one that is not usable */
  received: readonly string[]
}

/** Throws for what only the receiver's own code can get wrong; nothing a sender sends causes this error. */
export function assertReceivedRequest(request: ReceivedRequest): void {
  const problem = problemOf(request)
  if (problem === undefined) return
  const adapter = adapterCallFor(request)
  throw new TypeError(
    adapter === undefined
      ? problem
      : `verify() got ${adapter.what}: an adapter converts it byte for byte, so write verify(${adapter.call})`
  )
}

/** What is wrong, and what to pass instead. */
function problemOf(request: ReceivedRequest): string | undefined {
  if (typeof request !== 'object' || request === null || 'then' in request) {
    return (
      `verify() got ${describe(request)} and takes { method, target, headers, body, https }: pass what ` +
      'fromNodeRequest(req), fromFetchRequest(request) or fromLambdaEvent(event) returns'
    )
  }
  const { method, target, headers, body, https } = request
  if (typeof method !== 'string')
    return `request.method must be a string, such as "POST", and is ${describe(method)}`
  if (typeof target !== 'string') {
    return (
      'request.target must be the request-target as received, such as "/hook?id=1" (req.url), and is ' +
      describe(target)
    )
  }
  if (typeof headers !== 'object' || headers === null) {
    return (
      'request.headers must be an iterable of [name, value] pairs or a record of names to values, and is ' +
      describe(headers)
    )
  }
  if (typeof https !== 'boolean') {
    return `request.https must be true or false (did the request arrive over TLS?), and is ${describe(https)}`
  }
  return problemOfBody(body)
}

function problemOfBody(body: unknown): string | undefined {
  if (typeof body === 'string' || body === null || body instanceof Uint8Array) return undefined
  if (typeof body === 'object' && (Symbol.asyncIterator in body || 'getReader' in body)) return undefined
  if (body === undefined) return 'request.body is undefined: pass the raw bytes, or null for no body'
  if (body instanceof ArrayBuffer)
    return 'request.body is an ArrayBuffer: pass its bytes, new Uint8Array(buffer)'
  return (
    `request.body is ${describe(body)} and not raw bytes (is it a parsed body?): the digest is over the bytes as ` +
    'sent, so pass a Uint8Array, a string or the stream, taken before any body parser ran'
  )
}

type UnknownObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is UnknownObject => typeof value === 'object' && value !== null

const isNodeRequest = (value: unknown): boolean => isObject(value) && Array.isArray(value['rawHeaders'])

const isFetchRequest = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['url'] === 'string' &&
  isObject(value['headers']) &&
  typeof value['headers']['get'] === 'function'

/**
 * The call to write instead of `verify(req)`, when the argument is a framework's request, its context or a Lambda
 * event. Used only for the error message, when the argument is not a received request.
 */
function adapterCallFor(request: unknown): { what: string; call: string } | undefined {
  if (!isObject(request)) return undefined
  if (isNodeRequest(request))
    return { what: "Node's request (node:http, Express, Nest)", call: 'fromNodeRequest(req)' }
  if (isNodeRequest(request['raw']))
    return { what: "Fastify's request", call: 'fromNodeRequest(request.raw)' }
  if (isFetchRequest(request)) return { what: 'a fetch Request', call: 'fromFetchRequest(request)' }

  // Contexts: Koa's ctx and its request have `req` of Node, Hono's c has `req.raw`, SvelteKit's event `request`.
  const { req, request: inner } = request
  if (isNodeRequest(req)) return { what: "Koa's context", call: 'fromNodeRequest(ctx.req)' }
  if (isObject(req) && isFetchRequest(req['raw']))
    return { what: "Hono's context", call: 'fromFetchRequest(c.req.raw)' }
  if (isFetchRequest(request['raw'])) return { what: "Hono's request", call: 'fromFetchRequest(c.req.raw)' }
  if (isFetchRequest(inner))
    return { what: 'an event with a fetch Request', call: 'fromFetchRequest(event.request)' }

  const isLambdaEvent =
    isObject(request['requestContext']) ||
    typeof request['httpMethod'] === 'string' ||
    typeof request['rawPath'] === 'string'
  return isLambdaEvent ? { what: 'a Lambda event', call: 'fromLambdaEvent(event)' } : undefined
}
