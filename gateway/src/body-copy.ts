import type { ReceivedBody } from 'signed-requests'

/** A body that is copied while it is read: the verdict on a refused request does not have it. */
export function copyBody(received: ReceivedBody, limit: number) {
  // Of a request of Node.js it is a stream.
  const from = (received as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  let length = 0
  let isAtEnd = false
  let isLeft = false
  const isTooLarge = () => length > limit

  async function next(): Promise<IteratorResult<Uint8Array>> {
    const result = await from.next()
    if (result.done) isAtEnd = true
    else {
      length += result.value.length
      chunks.push(result.value)
      if (isTooLarge()) chunks.length = 0
    }
    return result
  }
  async function leave(): Promise<IteratorResult<Uint8Array>> {
    isLeft = true
    return (await from.return?.()) ?? { done: true, value: undefined }
  }
  /** What was read, when it was read to its end and is not above the limit. */
  const read = () => (isAtEnd && !isLeft && !isTooLarge() ? Buffer.concat(chunks) : undefined)

  return {
    /** to verify instead of the body itself */
    body: { [Symbol.asyncIterator]: () => ({ next, return: leave }) },
    isTooLarge,
    read,
    /** Reads what the verification has left, and gives the whole; undefined above the limit, or when it breaks. */
    async rest(): Promise<Uint8Array | undefined> {
      try {
        while (!isAtEnd && !isLeft) await (isTooLarge() ? leave() : next())
      } catch {
        return undefined
      }
      return read()
    }
  }
}
