import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { tinyChunks } from '../../core/body/chunks.ts'
import { type ArrivingBody, TAKE_ARRIVED } from '../../core/body/read.ts'
import type { HeaderLine, ReceivedBody, ReceivedRequest } from '../../core/http/request.ts'
import { atCaller, mistake, validateCall } from '../../core/mistakes.ts'
import { type AdapterRequest, PROXY_OPTIONS, type ProxyOptions, prepareProxy } from '../proxy.ts'
import { hasTinyChunks, mergeSmallChunks } from './chunks.ts'

/** The request of `node:http`, `node:https` or `node:http2` (compatibility API). */
export type NodeRequest = IncomingMessage | Http2ServerRequest

/** Options of `fromNodeRequest`; none is required. */
export interface FromNodeOptions extends ProxyOptions {
  /** the raw bytes, if something has read them already: the Buffer of `express.raw()`, `req.rawBody` */
  body?: Uint8Array | string | undefined
}

const OPTIONS = ['body', ...PROXY_OPTIONS] as const

/**
 * Makes a received request from that of `node:http`, `node:https`, `node:http2` (compatibility API), Express, Fastify
 * (`request.raw`), Koa (`ctx.req`) or Nest.
 *
 * The target is `req.originalUrl`, which Express and Connect set when a router is mounted under a prefix, or else
 * `req.url`. If anything else rewrites `req.url`, the signature does not verify; restore the target:
 * `{ ...fromNodeRequest(ctx.req), target: ctx.originalUrl }` (koa-mount).
 *
 * The body is `options.body` when given, else the request stream itself, which is read only after the signature over
 * the head was verified.
 *
 * @throws TypeError for a parsed body, for a stream that was read already when no raw bytes are given, for anything
 *   that is not Node's request, and for a bad option; never for what a sender sends
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createVerifier, fromNodeRequest, httpStatus } from 'signed-requests'
 *
 * const verify = createVerifier({ serviceDomain: 'service.example', hosts: 'hooks.example.com', accounts: '1234' })
 * createServer(async (req, res) => {
 *   const verdict = await verify(fromNodeRequest(req, { https: 'x-forwarded-proto' }))
 *   res.writeHead(httpStatus(verdict)).end()
 * })
 * ```
 */
export function fromNodeRequest(req: NodeRequest, options: FromNodeOptions = {}): ReceivedRequest {
  const [undoProxy, { body }] = validateCall(fromNodeRequest, 'fromNodeRequest', options, OPTIONS, own => [
    () => prepareProxy(own),
    () => own
  ])
  return atCaller(fromNodeRequest, () => undoProxy(readNodeRequest(req, body)))
}

/**
 * Returns the request as it arrived here.
 *
 * @param isLast nothing behind reads the stream, so a body that has arrived may be taken before the stream has ended: a
 *   body parser behind would wait for bytes, or miss them
 */
export function readNodeRequest(req: NodeRequest, body: unknown, isLast = false): AdapterRequest {
  if (!Array.isArray(req?.rawHeaders))
    throw mistake(
      'fromNodeRequest() got',
      req,
      'it takes the request object of node:http: req in Express and Nest, request.raw in Fastify, ctx.req in Koa; ' +
        'for a Request use fromFetchRequest() or fetchHandler(), for a Lambda event fromLambdaEvent() or ' +
        'lambdaHandler()'
    )
  mergeSmallChunks(req)
  // Frameworks that rewrite `url` keep the original one on the request itself; inherited properties are ignored.
  const originalUrl = Object.hasOwn(req, 'originalUrl') && (req as { originalUrl?: unknown }).originalUrl
  return {
    method: req.method ?? '',
    target: typeof originalUrl === 'string' ? originalUrl : (req.url ?? ''),
    headers: linesInPairs(req),
    body: bodyOfNode(req, body, isLast),
    // The client chooses `:scheme` of HTTP/2, so that decides nothing.
    https: (req.socket as { encrypted?: boolean } | null)?.encrypted === true
  }
}

/**
 * Returns `rawHeaders` in pairs, so that repeats are seen. In HTTP/2 the pseudo-header `:authority` replaces Host (RFC
 * 9113 section 8.3.1); a Host with the same value is not a repeat.
 */
function linesInPairs({ rawHeaders, httpVersionMajor }: NodeRequest): HeaderLine[] {
  const all: HeaderLine[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) all.push([rawHeaders[i]!, rawHeaders[i + 1]!])
  if (httpVersionMajor === 1) return all
  const lines = all.filter(([name]) => !name.startsWith(':'))
  const authority = all.find(([name]) => name === ':authority')?.[1]
  const isHostLine = ([name, value]: HeaderLine) => name.toLowerCase() === 'host' && value === authority
  return authority === undefined || lines.some(isHostLine) ? lines : [...lines, ['Host', authority]]
}

function bodyOfNode(req: NodeRequest, rawBody: unknown, isLast: boolean): ReceivedBody {
  if (rawBody instanceof Uint8Array || typeof rawBody === 'string') return rawBody
  if (!isNoBody(rawBody)) throw rawBytesNeeded('options.body is', rawBody, 'not raw bytes but a parsed body')
  if (!req.aborted && req.readableDidRead) throw rawBytesNeeded('the request body was', req, 'already read')
  if (!req.aborted && req.readableEnded) return null
  if (typeof req.pause === 'function') return isLast ? new LastNodeBody(req) : new NodeBody(req)
  // A mock request cannot be paused.
  return Symbol.asyncIterator in (req as object) ? (req as AsyncIterable<Uint8Array>) : null
}

/**
 * Returns whether a body parser had nothing to parse: it leaves undefined (Express 5) or an empty object (Express 4).
 */
function isNoBody(rawBody: unknown): boolean {
  if (rawBody === undefined || rawBody === null) return true
  const prototype = Object.getPrototypeOf(rawBody)
  return (prototype === Object.prototype || prototype === null) && Object.keys(rawBody).length === 0
}

/** The body of a request. A class: an object with symbols for names takes ten times as long to make. */
class NodeBody implements AsyncIterable<Uint8Array> {
  protected readonly req: NodeRequest

  constructor(req: NodeRequest) {
    this.req = req
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return chunksOf(this.req)
  }
}

class LastNodeBody extends NodeBody implements ArrivingBody {
  [TAKE_ARRIVED](limit: number): Uint8Array | undefined {
    return takeArrived(this.req, limit)
  }
}

/**
 * Returns the body when all of it is in the stream, and none of it was read. Emulated requests may say that they
 * are complete before they have a byte, so the stream itself must have ended, or have as many bytes as were announced:
 * Node.js reports the end of a message only after promises have run.
 */
function takeArrived(req: NodeRequest, limit: number): Uint8Array | undefined {
  const { _readableState: state } = req as { _readableState?: { ended: boolean } }
  if (req.httpVersionMajor !== 1 || state === undefined || req.destroyed || req.readableDidRead) return undefined
  // A stream that flows to another listener gives one chunk at a time.
  if (req.readableFlowing === true) return undefined
  if (req.readableEncoding !== null || req.readableLength > limit || hasTinyChunks(req)) return undefined
  const hasEnded = state.ended && req.complete
  if (!hasEnded && !hasAnnounced(req)) return undefined
  const bytes = req.read() ?? new Uint8Array(0)
  if (!hasEnded) req.resume()
  return bytes
}

/** Returns whether all announced bytes have arrived. With a transfer coding, another length would count. */
const hasAnnounced = ({ headers, readableLength }: NodeRequest): boolean =>
  readableLength > 0 && headers['transfer-encoding'] === undefined && headers['content-length'] === `${readableLength}`

/**
 * Iterates over the chunks of a request. It differs from the stream's own iterator in three ways:
 * - `return()` stops at once, even while a chunk is awaited, and removes its listeners: the rest can be dropped.
 * - The request is never destroyed, so its connection is not either, and an answer can be sent.
 * - An interrupted upload is an error on HTTP/2 too, where the stream of Node.js ends as if it were complete.
 */
function chunksOf(req: NodeRequest): AsyncIterator<Uint8Array> {
  const chunks: Uint8Array[] = []
  let received = 0
  let end: Error | typeof DONE | undefined
  let wake = () => {}

  const onData = (chunk: Uint8Array) => {
    // Read no more until the next chunk is asked for: the sender waits.
    req.pause()
    received += chunk.length
    chunks.push(chunk)
    wake()
  }
  // On HTTP/2 a reset with NO_ERROR ends the stream too: a body shorter than its Content-Length is not complete.
  const onEnd = () => stop(req.aborted || received < Number(req.headers['content-length'] ?? 0) ? aborted() : DONE)
  const onClose = () => stop(aborted())
  const stop = (how: Error | typeof DONE) => {
    end ??= how
    req.off('data', onData).off('end', onEnd).off('close', onClose)
    wake()
  }
  const isStopped = () => {
    if (hasTinyChunks(req)) stop(tinyChunks())
    return end !== undefined
  }
  // The error listener stays: a later error, when the sender disconnects, must not crash the process.
  req.on('error', stop)
  if (req.destroyed || req.aborted) stop(req.errored ?? aborted())
  // A listener makes the stream read on.
  else if (!isStopped()) req.on('data', onData).on('end', onEnd).on('close', onClose)

  return {
    async next() {
      while (chunks.length === 0 && !isStopped()) {
        await new Promise<void>(resolve => {
          wake = resolve
          req.resume()
        })
      }
      const value = chunks.shift()
      if (value !== undefined) return { done: false, value }
      if (end instanceof Error) throw end
      return DONE
    },
    async return() {
      chunks.length = 0
      stop(DONE)
      if (!hasTinyChunks(req)) req.resume()
      return DONE
    }
  }
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

const aborted = () => Object.assign(new Error('the request was aborted'), { code: 'ECONNRESET' })

const rawBytesNeeded = (start: string, value: unknown, problem: string): TypeError =>
  mistake(
    start,
    value,
    'the digest is over the bytes as sent. Verify before any parser runs, or have it keep the bytes as req.rawBody ' +
      'and pass { body: req.rawBody } to fromNodeRequest(), { body: req => req.rawBody } to nodeHandler(). Express: ' +
      'this route above app.use(express.json()), or app.use(express.json({ verify: (req, _res, bytes) => { req.rawBody ' +
      '= bytes } })). Nest: NestFactory.create(AppModule, { rawBody: true }). Fastify: in a plugin with this route, ' +
      'scope.removeAllContentTypeParsers() and scope.addContentTypeParser("*", (_request, _payload, done) => ' +
      'done(null)). Koa: this route above the body parser. Next.js pages: export const config = { api: { bodyParser: ' +
      'false } }',
    () => `${problem}, probably by a body parser`
  )
