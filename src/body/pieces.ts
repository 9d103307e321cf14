/** Pieces that a body may have whatever their size, such as the tokens of a small JSON document. */
const FREE_PIECES = 4096

/**
 * Bytes that the pieces must have on average when a body has more of them. A piece costs the receiver as much as
 * hashing some hundred bytes, whatever its size: a body of single bytes would cost a thousand times what its sender
 * pays.
 */
const MIN_AVERAGE = 64

/** Counts the pieces of one body. The returned function takes the size of a piece, and returns whether to refuse it. */
export function countPieces(): (size: number) => boolean {
  let pieces = 0
  let length = 0
  return size => {
    pieces += 1
    length += size
    return pieces > FREE_PIECES && length < pieces * MIN_AVERAGE
  }
}

/** Makes the error of a body that `countPieces` refuses. */
export const tinyPieces = (): Error =>
  Object.assign(new Error('the body comes in too many tiny pieces'), { code: 'TINY_PIECES' })

/** Returns the length of a body by its Content-Length; 0 without a usable one, or for a body that is too large. */
export function announcedLength(contentLength: string | undefined, limit: number): number {
  const announced = Number(contentLength)
  return announced > 0 && announced <= limit ? announced : 0
}

/** Bytes to allocate as soon as any of a body has arrived, if so many were announced. */
const ALWAYS_READY = 65_536

/** Returns the bytes to allocate for a body of which so many have arrived: a sender may announce many and send few. */
const readyFor = (length: number, announced: number): number =>
  announced <= 4 * length ? announced : Math.min(announced, ALWAYS_READY)

/**
 * Returns the most bytes that a body takes while it is read: the buffer of `append`, and then a copy of the right size.
 */
export const mostHeld = (length: number, announced: number): number =>
  length === 0 ? 0 : Math.max(2 * length, readyFor(length, announced))

/**
 * Appends to a buffer that doubles, so that tiny chunks cost no more than their bytes. It grows at once to the
 * announced length of the body when a quarter of the body has arrived.
 */
export function append(
  bytes: Uint8Array<ArrayBuffer>,
  length: number,
  chunk: Uint8Array,
  announced = 0
): Uint8Array<ArrayBuffer> {
  const needed = length + chunk.length
  if (needed <= bytes.length) {
    bytes.set(chunk, length)
    return bytes
  }
  const ready = readyFor(needed, announced)
  const larger = new Uint8Array(ready >= needed ? ready : Math.max(2 * bytes.length, needed))
  larger.set(bytes.subarray(0, length))
  larger.set(chunk, length)
  return larger
}
