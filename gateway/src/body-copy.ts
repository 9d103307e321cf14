/** A body that is copied while it is read: the verdict on a refused request does not have it. */
export function copyBody(stream: AsyncIterable<Uint8Array>, limit: number) {
  const from = stream[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  let length = 0
  let isComplete = false

  async function next(): Promise<IteratorResult<Uint8Array>> {
    const result = await from.next()
    isComplete = result.done === true
    length += result.value?.length ?? 0
    if (!result.done && length <= limit) chunks.push(result.value)
    return result
  }
  return {
    /** to verify instead of the body itself; not a generator, as one that waits for a chunk cannot be left */
    body: { [Symbol.asyncIterator]: () => ({ next, return: () => from.return!() }) },
    /** What was read, when it was read to its end and is not above the limit. */
    read: () => (isComplete && length <= limit ? Buffer.concat(chunks) : undefined)
  }
}

/** The whole body, or the beginning of one that is above the limit. */
export async function readBody(stream: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    length += chunk.length
    if (length > limit) break
  }
  return Buffer.concat(chunks)
}
