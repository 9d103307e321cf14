import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { append, countPieces, tinyPieces } from '../../body/pieces.ts'

type NodeRequest = IncomingMessage | Http2ServerRequest

/** A piece of at least so many bytes is passed on as it is. */
const SMALL = 1024

const NONE = /* @__PURE__ */ new Uint8Array(0)
const joined = new WeakSet<NodeRequest>()

/**
 * Joins the small pieces of a body as they come: Node.js makes a Buffer of each chunk that has arrived, before anyone
 * reads, and a chunk of one byte then holds some hundred. A body in too many tiny pieces ends its connection, because
 * each of them takes as long as a large one. Must be called before the first piece comes; a second call does nothing.
 */
export function joinPieces(req: NodeRequest): void {
  if (typeof req?.push !== 'function' || joined.has(req)) return
  joined.add(req)
  const isTiny = countPieces()
  const push = req.push.bind(req)
  let held: Uint8Array<ArrayBuffer> = NONE
  let length = 0
  let timer: NodeJS.Immediate | undefined

  function flush(): void {
    if (length === 0) return
    clearImmediate(timer)
    const piece = Buffer.from(held.buffer, 0, length)
    held = NONE
    length = 0
    if (!req.destroyed) push(piece)
  }

  req.push = (piece, encoding) => {
    if (piece instanceof Uint8Array && piece.length > 0) {
      if (req.destroyed) return false
      if (isTiny(piece.length)) {
        refuse(req)
        return false
      }
      if (piece.length < SMALL) {
        if (length === 0) timer = setImmediate(flush)
        held = append(held, length, piece)
        length += piece.length
        // Bytes that wait here count as if they were in the stream: at its limit the sender must wait.
        return req.readableLength + length < req.readableHighWaterMark
      }
    }
    flush()
    return push(piece, encoding)
  }
}

function refuse(req: NodeRequest): void {
  if ('stream' in req) req.stream.close(ENHANCE_YOUR_CALM)
  req.destroy(tinyPieces())
}

/** RFC 9113 section 7. */
const ENHANCE_YOUR_CALM = 0xb
