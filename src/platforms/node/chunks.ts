import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { collectChunks, countChunks } from '../../core/body/chunks.ts'

/**
 * Names the property that says whether a body comes in too many tiny chunks; undefined where its chunks are not joined.
 * All copies of this module share it: the gateway has its own beside that of the package.
 */
const IS_TINY = /* @__PURE__ */ Symbol.for('signed-requests.tiny')

// A property takes a tenth of the time of a WeakMap, in which each request would be new.
type NodeRequest = (IncomingMessage | Http2ServerRequest) & { [IS_TINY]?: boolean }

/** A chunk of at least this many bytes is passed on unchanged. */
const SMALL = 1024

/** Small chunks of a body that are passed on as they are: most bodies have one, and need not wait. */
const FEW = 16

/** Returns whether the body comes in too many tiny chunks, so that reading it must end. */
export const hasTinyChunks = (req: NodeRequest): boolean => req[IS_TINY] === true

/**
 * Joins the small chunks of a body as they come: Node.js makes a Buffer of each chunk that has arrived, before anyone
 * reads, and a chunk of one byte then holds some hundred. The sender of too many tiny chunks must wait, because each of
 * them takes as long as a large one: who reads its body asks `hasTinyChunks`, and refuses it. Must be called before the
 * first chunk comes; a second call does nothing.
 */
export function mergeSmallChunks(req: NodeRequest): void {
  if (typeof req.push !== 'function' || req[IS_TINY] !== undefined) return
  req[IS_TINY] = false
  const isTiny = countChunks()
  const { push } = req
  let few = FEW
  let chunks: ReturnType<typeof collectChunks> | undefined
  let timer: NodeJS.Immediate | undefined

  function flush(): void {
    if (chunks === undefined) return
    clearImmediate(timer)
    const chunk = Buffer.from(chunks.join().buffer)
    chunks = undefined
    push.call(req, chunk)
  }

  req.push = (chunk, encoding) => {
    if (chunk instanceof Uint8Array && chunk.length > 0) {
      if (isTiny(chunk.length)) {
        req[IS_TINY] = true
        stopPrefetch(req)
      }
      if (chunk.length < SMALL && few-- <= 0) {
        if (chunks === undefined) {
          chunks = collectChunks(SMALL)
          timer = setImmediate(flush)
        }
        chunks.add(chunk)
        // Bytes that wait here count as if they were in the stream: at its limit the sender must wait.
        return !hasTinyChunks(req) && req.readableLength + chunks.held() < req.readableHighWaterMark
      }
    }
    flush()
    return push.call(req, chunk, encoding)
  }
}

/** Reads no more of the connection than a reader asks for: a stream fills itself up to its limit. */
function stopPrefetch(req: NodeRequest): void {
  const { _readableState: state } = req as { _readableState?: { highWaterMark: number } }
  if (state) state.highWaterMark = 0
}
