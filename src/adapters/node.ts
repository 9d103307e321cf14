import type { IncomingMessage } from 'node:http'
import type { ReceivedBody, ReceivedRequest } from '../request.ts'
import { type ProxyOptions, proxied } from './proxy.ts'

export interface FromNodeOptions extends ProxyOptions {
  /** the raw bytes, when something has read them already: an `express.raw()` Buffer, `req.rawBody` */
  body?: Uint8Array | string | undefined
}

/** What of `http.IncomingMessage` is used, so that frameworks' requests and HTTP/2 fit as well. */
type NodeRequest = IncomingMessage & { originalUrl?: string }

/**
 * A received request from `node:http`, `node:https`, `node:http2` (compatibility API), Express, Fastify
 * (`request.raw`), Koa (`ctx.req`) or Nest.
 *
 * The body is `options.body` when given, else the request stream itself, which is read only after the signature over
 * the head was verified.
 *
 * @throws TypeError when the stream was read already and no raw bytes are given
 */
export function fromNodeRequest(req: IncomingMessage, options: FromNodeOptions = {}): ReceivedRequest {
  const request = req as NodeRequest
  return proxied(
    {
      method: request.method ?? '',
      target: request.originalUrl ?? request.url ?? '',
      headers: headerLines(request),
      body: bodyOf(request, options.body),
      https: (request.socket as { encrypted?: boolean } | null)?.encrypted === true
    },
    options
  )
}

/**
 * `rawHeaders` in pairs, so that repeats are seen. HTTP/2 has pseudo-header fields, of which `:authority` stands for
 * Host (RFC 9113 section 8.3.1).
 */
function headerLines({ rawHeaders }: IncomingMessage): [string, string][] {
  const lines: [string, string][] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    const value = rawHeaders[i + 1]!
    if (!name.startsWith(':')) lines.push([name, value])
    else if (name === ':authority' && !hasHost(rawHeaders, value)) lines.push(['host', value])
  }
  return lines
}

/** A Host that repeats `:authority` is one Host; another one beside it is two. */
function hasHost(rawHeaders: readonly string[], authority: string): boolean {
  return rawHeaders.some(
    (each, i) => i % 2 === 0 && each.toLowerCase() === 'host' && rawHeaders[i + 1] === authority
  )
}

function bodyOf(request: IncomingMessage, given: unknown): ReceivedBody {
  if (given instanceof Uint8Array || typeof given === 'string') return given
  // Body parsers that had nothing to parse leave undefined, or an empty object.
  const isEmpty = given === undefined || (isObject(given) && Object.keys(given).length === 0)
  if (!isEmpty) {
    throw new TypeError(
      'options.body is not raw bytes: a body parser has turned it into an object, and the digest is over the bytes ' +
        'as sent. Use express.raw({ type: "*/*" }) on this route, or keep the bytes with express.json({ verify: ' +
        '(req, _res, bytes) => { req.rawBody = bytes } }), and pass them as options.body'
    )
  }
  if (request.readableDidRead || request.readableEnded) {
    throw new TypeError(
      'the request body was already read, probably by a body parser: put the verifier before it, or pass the raw bytes ' +
        'as options.body (Express: express.raw({ type: "*/*" }) and req.body; Nest: rawBody: true and req.rawBody)'
    )
  }
  return { [Symbol.asyncIterator]: () => chunksOf(request) }
}

/**
 * Stopping at the limit must not destroy the request: the answer is still to be sent. What is left is thrown away, as
 * Node does with a body that nobody read; else the sender would wait to send it, and the connection with it.
 */
async function* chunksOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* request.iterator({ destroyOnReturn: false })
  } finally {
    request.resume()
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
