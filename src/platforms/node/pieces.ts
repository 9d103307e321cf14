import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { collectPieces, countPieces } from '../../core/body/pieces.ts'

/**
 * Names the property that says whether a body comes in too many tiny pieces; undefined where its pieces are not joined.
 * All copies of this module share it: the gateway has its own beside that of the package.
 */
const IS_TINY = /* @__PURE__ */ Symbol.for('signed-requests.tiny')

// A property takes a tenth of the time of a WeakMap, in which each request would be new.
type NodeRequest = (IncomingMessage | Http2ServerRequest) & { [IS_TINY]?: boolean }

/** A piece of at least so many bytes is passed on as it is. */
const SMALL = 1024

/** Small pieces of a body that are passed on as they are: most bodies have one, and need not wait. */
const FEW = 16

/** Returns whether the body comes in too many tiny pieces, so that reading it must end. */
export const hasTinyPieces = (req: NodeRequest): boolean => req[IS_TINY] === true

/**
 * Joins the small pieces of a body as they come: Node.js makes a Buffer of each chunk that has arrived, before anyone
 * reads, and a chunk of one byte then holds some hundred. The sender of too many tiny pieces must wait, because each of
 * them takes as long as a large one: who reads its body asks `hasTinyPieces`, and refuses it. Must be called before the
 * first piece comes; a second call does nothing.
 */
export function joinPieces(req: NodeRequest): void {
  if (typeof req.push !== 'function' || req[IS_TINY] !== undefined) return
  req[IS_TINY] = false
  const isTiny = countPieces()
  const { push } = req
  let few = FEW
  let pieces: ReturnType<typeof collectPieces> | undefined
  let timer: NodeJS.Immediate | undefined

  function flush(): void {
    if (pieces === undefined) return
    clearImmediate(timer)
    const piece = Buffer.from(pieces.join().buffer)
    pieces = undefined
    push.call(req, piece)
  }

  req.push = (piece, encoding) => {
    if (piece instanceof Uint8Array && piece.length > 0) {
      if (isTiny(piece.length)) {
        req[IS_TINY] = true
        stopPrefetch(req)
      }
      if (piece.length < SMALL && few-- <= 0) {
        if (pieces === undefined) {
          pieces = collectPieces(SMALL)
          timer = setImmediate(flush)
        }
        pieces.add(piece)
        // Bytes that wait here count as if they were in the stream: at its limit the sender must wait.
        return !hasTinyPieces(req) && req.readableLength + pieces.held() < req.readableHighWaterMark
      }
    }
    flush()
    return push.call(req, piece, encoding)
  }
}

/** Reads no more of the connection than a reader asks for: a stream fills itself up to its limit. */
function stopPrefetch(req: NodeRequest): void {
  const { _readableState: state } = req as { _readableState?: { highWaterMark: number } }
  if (state) state.highWaterMark = 0
}
