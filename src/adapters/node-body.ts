import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'

export type NodeRequest = IncomingMessage | Http2ServerRequest

/** The unread body of a request: its stream, or null for a mock request without one. */
export function streamOf(req: NodeRequest): AsyncIterable<Uint8Array> | null {
  if (typeof req.on === 'function' && typeof req.pause === 'function') {
    return { [Symbol.asyncIterator]: () => chunksOf(req) }
  }
  return Symbol.asyncIterator in (req as object) ? (req as AsyncIterable<Uint8Array>) : null
}

/**
 * The chunks of a request. It differs from the stream's own iterator in three ways:
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
    received += chunk.length
    chunks.push(chunk)
    // Read no more until the next chunk is asked for: the sender waits.
    req.pause()
    wake()
  }
  const onEnd = () => stop(isComplete(req, received) ? DONE : aborted())
  const onClose = () => stop(aborted())
  const stop = (how: Error | typeof DONE) => {
    end ??= how
    req.off('data', onData).off('end', onEnd).off('close', onClose)
    wake()
  }
  // The error listener stays: a later error, when the sender disconnects, must not crash the process.
  req.on('error', stop)
  if (req.destroyed || req.aborted) onClose()
  else req.on('data', onData).on('end', onEnd).on('close', onClose)

  return {
    async next() {
      while (chunks.length === 0 && end === undefined) {
        const woken = new Promise<void>(resolve => {
          wake = resolve
        })
        req.resume()
        await woken
      }
      const value = chunks.shift()
      if (value !== undefined) return { done: false, value }
      if (end instanceof Error) throw end
      return DONE
    },
    async return() {
      chunks.length = 0
      stop(DONE)
      req.resume()
      return DONE
    }
  }
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** On HTTP/2 a reset with NO_ERROR ends the stream too: a body shorter than its Content-Length is not complete. */
const isComplete = (req: NodeRequest, received: number): boolean =>
  !req.aborted && !(received < Number(req.headers['content-length'] ?? 0))

const aborted = () => Object.assign(new Error('the request was aborted'), { code: 'ECONNRESET' })
