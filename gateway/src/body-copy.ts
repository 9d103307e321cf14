import type { ReceivedBody } from 'signed-requests'

export interface BodyCopy {
  /** to verify instead of the body itself */
  readonly body: ReceivedBody
  /** What was read, when it was read to its end and is not above the limit. */
  read(): Uint8Array | undefined
  /** Reads what the verification has left, and gives the whole; undefined above the limit, or when it breaks. */
  rest(): Promise<Uint8Array | undefined>
  isTooLarge(): boolean
}

/** A body that is copied while it is read: the verdict on a refused request does not have it. */
export function copyBody(received: ReceivedBody, limit: number): BodyCopy {
  // Of a request of Node.js it is a stream.
  const from = (received as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
  let chunks: Uint8Array[] = []
  let length = 0
  let isAtEnd = false

  async function next(): Promise<IteratorResult<Uint8Array>> {
    const result = await from.next()
    if (result.done) {
      isAtEnd = true
      return result
    }
    length += result.value.length
    if (length <= limit) chunks.push(result.value)
    else chunks = []
    return result
  }
  const stop = async () => (await from.return?.()) ?? { done: true as const, value: undefined }
  const read = () => (isAtEnd && length <= limit ? Buffer.concat(chunks) : undefined)

  return {
    body: { [Symbol.asyncIterator]: () => ({ next, return: stop }) },
    read,
    async rest() {
      try {
        while (!isAtEnd && length <= limit) await next()
        if (!isAtEnd) await stop()
      } catch {
        return undefined
      }
      return read()
    },
    isTooLarge: () => length > limit
  }
}
