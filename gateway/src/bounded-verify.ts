import type { ServerResponse } from 'node:http'
import type { ReceivedRequest, Verdict, Verify } from 'signed-requests'
import type { CommonSettings } from './options/settings.ts'
import { createRoom, type Place } from './room.ts'

/**
 * Bytes of all bodies that are held at once: six of the largest by default, for which a container of 256 MB has room
 * beside a heap of 128 MB. Where one body may be larger, it and its copies must have room.
 */
const MAX_HELD = 64 * 1024 * 1024

/** Bytes that a piece of a body costs besides its own. */
const PIECE = 256

type Bytes = AsyncIterable<Uint8Array>

/**
 * The same verdicts, within bounds for all requests together. Half of the connections may wait for DNS, and a quarter
 * for the rest of a body. Bodies are read after their head has verified, and all of them together have the room of
 * MAX_HELD. Where there is none, whoever has waited longest is told to try again (503). A sender that has gone is
 * released at once.
 */
export function createBoundedVerify(verify: Verify, { maxConnections, verifier }: CommonSettings) {
  const heads = createRoom(Math.ceil(maxConnections / 2))
  const limit = Math.max(MAX_HELD, 3 * (verifier.maxBodyBytes ?? 0))
  const bodies = createRoom(limit)
  // Bodies that drip have few bytes, and a connection each.
  const unfinished = limit / Math.max(8, maxConnections / 4)

  /** @param keep bytes of a body that is wanted whatever the verdict is */
  return async (request: ReceivedRequest, res: ServerResponse, keep = 0) => {
    const controller = new AbortController()
    const leave = () => controller.abort()
    res.once('close', leave)
    const head = heads(leave)
    head.grow(1)
    const onVerified = (onFull: () => void) => {
      head.free()
      return bodies(onFull)
    }
    const body = holdBody(request.body as Bytes | null, onVerified, unfinished, keep)
    const verdict: Verdict = await verify({ ...request, body: body.stream, signal: controller.signal })
    head.free()
    return { verdict, body }
  }
}

/** A body that takes its place when its first piece is asked for, and more with each piece that has come. */
function holdBody(whole: Bytes | null, takePlace: (onFull: () => void) => Place, unfinished: number, keep: number) {
  const pieces: Uint8Array[] = []
  let from: AsyncIterator<Uint8Array> | undefined
  let place: Place | undefined
  let length = 0
  let isComplete = whole === null
  let full: Error | undefined
  let reject = (_: Error) => {}

  function onFull(): void {
    full = Object.assign(new Error('too many bodies are held'), { code: 'TOO_MANY_BODIES' })
    pieces.length = 0
    reject(full)
    from?.return?.()
  }

  async function next(): Promise<IteratorResult<Uint8Array>> {
    const result = await new Promise<IteratorResult<Uint8Array>>((resolve, fail) => {
      reject = fail
      from!.next().then(resolve, fail)
    })
    isComplete = result.done === true
    if (isComplete) {
      place!.settle()
      place!.grow(-unfinished)
    } else {
      length += result.value.length
      const isKept = length <= keep
      if (isKept) pieces.push(result.value)
      else pieces.length = 0
      place!.grow(isKept ? 2 * result.value.length + PIECE : result.value.length)
      if (full !== undefined) throw full
    }
    return result
  }

  /** The body for the verifier. A generator that waits for a piece could not be left. */
  const stream: Bytes = {
    [Symbol.asyncIterator]() {
      place = takePlace(onFull)
      place.grow(unfinished)
      from = whole![Symbol.asyncIterator]()
      return { next, return: () => from!.return!() }
    }
  }
  return {
    stream: whole && stream,
    /** What was read, when that is all and not more than is wanted. */
    read: () => (isComplete && length <= keep ? Buffer.concat(pieces) : undefined),
    /** Has nothing of it been read? */
    isUnread: () => from === undefined,
    free: () => place?.free()
  }
}
