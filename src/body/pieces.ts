/** Pieces of any size that a body may come in, such as the tokens of a small JSON document. */
const FREE_PIECES = 4096

/**
 * Bytes that the pieces must have on average when there are more. A piece costs the receiver as much as hashing some
 * hundred bytes, whatever its size: a body of single bytes would cost a thousand times what its sender pays.
 */
const MIN_AVERAGE = 64

/** Counts the pieces of one body. The returned function takes the size of a piece, and tells whether to refuse it. */
export function countPieces(): (size: number) => boolean {
  let pieces = 0
  let length = 0
  return size => {
    pieces += 1
    length += size
    return pieces > FREE_PIECES && length < pieces * MIN_AVERAGE
  }
}

/** The error of a body that is refused by `countPieces`. */
export const tinyPieces = (): Error =>
  Object.assign(new Error('the body comes in too many tiny pieces'), { code: 'TINY_PIECES' })

/** Appends to a buffer that doubles, so that tiny chunks cost no more than their bytes. */
export function append(bytes: Uint8Array<ArrayBuffer>, length: number, chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  if (length + chunk.length <= bytes.length) {
    bytes.set(chunk, length)
    return bytes
  }
  const larger = new Uint8Array(Math.max(2 * bytes.length, length + chunk.length))
  larger.set(bytes.subarray(0, length))
  larger.set(chunk, length)
  return larger
}
