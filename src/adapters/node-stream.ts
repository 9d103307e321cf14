import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'

type NodeRequest = IncomingMessage | Http2ServerRequest

/** The unread body of a request: its stream, or null for a mock request without one. */
export function streamOf(req: NodeRequest): AsyncIterable<Uint8Array> | null {
  if (typeof req.on === 'function' && typeof req.pause === 'function') {
    return { [Symbol.asyncIterator]: () => chunksOf(req) }
  }
  return Symbol.asyncIterator in (req as object) ? (req as AsyncIterable<Uint8Array>) : null
}

/**
 * The chunks of a request. It differs from the stream's own iterator in three ways:
 * - `return()` stops at once, even while a chunk is awaited, and removes its listeners: an answer can be sent and the
 *   rest of the body dropped (it keeps flowing, like any body that nobody reads).
 * - The request is never destroyed, so its connection is not either.
 * - An interrupted upload is an error on HTTP/2 too, where the stream of Node.js ends as if it were complete.
 */
function chunksOf(req: NodeRequest): AsyncIterator<Uint8Array> {
  const queue: Uint8Array[] = []
  let waiting: { resolve(result: IteratorResult<Uint8Array>): void; reject(error: Error): void } | undefined
  let state: 'new' | 'reading' | 'ended' | 'failed' | 'left' = 'new'
  let failure: Error | undefined
  let received = 0

  const onData = (chunk: Uint8Array) => {
    received += chunk.length
    // Read no more until the next chunk is asked for: the sender waits.
    req.pause()
    if (waiting === undefined) queue.push(chunk)
    else settle({ done: false, value: chunk })
  }
  const onEnd = () => (isComplete(req, received) ? finish('ended') : onError(aborted()))
  const onError = (error: Error) => {
    failure = error
    finish('failed')
  }
  const onClose = () => onError(aborted())

  function settle(result: IteratorResult<Uint8Array>) {
    const { resolve } = waiting!
    waiting = undefined
    resolve(result)
  }

  function finish(how: 'ended' | 'failed' | 'left') {
    state = how
    req.off('data', onData).off('end', onEnd).off('close', onClose)
    if (waiting === undefined) return
    if (how !== 'failed') settle(DONE)
    else {
      waiting.reject(failure!)
      waiting = undefined
    }
  }

  function start() {
    state = 'reading'
    // The error listener stays: a later error, when the sender disconnects, must not crash the process.
    req.on('error', error => state === 'reading' && onError(error))
    if (req.destroyed || req.aborted) return onError(aborted())
    req.on('data', onData).on('end', onEnd).on('close', onClose)
  }

  return {
    next() {
      if (state === 'new') start()
      const chunk = queue.shift()
      if (chunk !== undefined) return Promise.resolve({ done: false, value: chunk })
      if (state === 'failed') return Promise.reject(failure)
      if (state !== 'reading') return Promise.resolve(DONE)
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        req.resume()
      })
    },
    return() {
      if (state === 'reading') {
        finish('left')
        queue.length = 0
        req.resume()
      }
      state = 'left'
      return Promise.resolve(DONE)
    }
  }
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** On HTTP/2 a reset with NO_ERROR ends the stream too: a body shorter than its Content-Length is not complete. */
function isComplete(req: NodeRequest, received: number): boolean {
  if (req.aborted) return false
  const announced = req.headers['content-length']
  return announced === undefined || !/^\d+$/.test(announced) || received >= Number(announced)
}

const aborted = () => Object.assign(new Error('the request was aborted'), { code: 'ECONNRESET' })
