import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { collectPieces, countPieces } from '../../body/pieces.ts'

type NodeRequest = IncomingMessage | Http2ServerRequest

/** A piece of at least so many bytes is passed on as it is. */
const SMALL = 1024

/** Requests whose pieces are joined, and whether they are too many tiny ones. */
const joined = new WeakMap<NodeRequest, boolean>()

/** Returns whether the body comes in too many tiny pieces, so that reading it must end. */
export const hasTinyPieces = (req: NodeRequest): boolean => joined.get(req) === true

/**
 * Joins the small pieces of a body as they come: Node.js makes a Buffer of each chunk that has arrived, before anyone
 * reads, and a chunk of one byte then holds some hundred. The sender of too many tiny pieces must wait, because each of
 * them takes as long as a large one: who reads its body asks `hasTinyPieces`, and refuses it. Must be called before the
 * first piece comes; a second call does nothing.
 */
export function joinPieces(req: NodeRequest): void {
  if (typeof req?.push !== 'function' || joined.has(req)) return
  joined.set(req, false)
  const isTiny = countPieces()
  const push = req.push.bind(req)
  const pieces = collectPieces(SMALL)
  let timer: NodeJS.Immediate | undefined

  function flush(): void {
    if (timer === undefined) return
    clearImmediate(timer)
    timer = undefined
    const piece = Buffer.from(pieces.join().buffer)
    pieces.clear()
    if (!req.destroyed) push(piece)
  }

  req.push = (piece, encoding) => {
    if (piece instanceof Uint8Array && piece.length > 0) {
      if (req.destroyed) return false
      if (isTiny(piece.length)) {
        joined.set(req, true)
        stopPrefetch(req)
      }
      if (piece.length < SMALL) {
        timer ??= setImmediate(flush)
        pieces.add(piece)
        // Bytes that wait here count as if they were in the stream: at its limit the sender must wait.
        return !hasTinyPieces(req) && req.readableLength + pieces.held() < req.readableHighWaterMark
      }
    }
    flush()
    return push(piece, encoding)
  }
}

/** Reads no more of the connection than a reader asks for: a stream fills itself up to its limit. */
function stopPrefetch(req: NodeRequest): void {
  const { _readableState: state } = req as { _readableState?: { highWaterMark: number } }
  if (state) state.highWaterMark = 0
}
