import type { ReceivedBody } from '../../src/http/request.ts'

/** Nothing larger is kept for the page. */
const MAX_COPIED = 64 * 1024

export interface CopiedBody {
  /** to verify instead of the body itself */
  readonly body: ReceivedBody
  /** What was read, when it was read to its end and is at most 64 KiB. */
  read(): Uint8Array | undefined
}

/** A body that is copied while it is read: the verdict on a refused request does not have it. */
export function copyBody(body: ReceivedBody): CopiedBody {
  if (typeof body !== 'object' || body === null || !(Symbol.asyncIterator in body))
    return { body, read: () => undefined }
  let chunks: Uint8Array[] = []
  let length = 0
  let isWhole = false

  async function next(from: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
    const result = await from.next()
    if (result.done) {
      isWhole = length <= MAX_COPIED
      return result
    }
    length += result.value.length
    if (length <= MAX_COPIED) chunks.push(result.value)
    else chunks = []
    return result
  }

  return {
    read: () => (isWhole ? Buffer.concat(chunks) : undefined),
    body: {
      [Symbol.asyncIterator]() {
        const from = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
        return {
          next: () => next(from),
          return: () => from.return?.() ?? Promise.resolve({ done: true, value: undefined })
        }
      }
    }
  }
}
