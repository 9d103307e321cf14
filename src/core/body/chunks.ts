/**
 * Chunks that a body may have whatever their size, such as the tokens of a JSON document. One packet of Node.js, 64 KB,
 * holds more than these, and is parsed before anyone can refuse the body.
 */
const FREE_CHUNKS = 8192

/**
 * Bytes that the chunks must have on average when a body has more of them. A chunk costs the receiver as much as
 * hashing some hundred bytes, whatever its size: a body of single bytes would cost a thousand times what its sender
 * pays.
 */
const MIN_AVERAGE = 64

/** Counts the chunks of one body. The returned function takes the size of a chunk, and returns whether to refuse it. */
export function countChunks(): (size: number) => boolean {
  let chunks = 0
  let length = 0
  return size => {
    chunks += 1
    length += size
    return chunks > FREE_CHUNKS && length < chunks * MIN_AVERAGE
  }
}

/** Makes the error of a body that `countChunks` refuses. */
export const tinyChunks = (): Error => Object.assign(new Error('too many tiny pieces'), { code: 'TINY_PIECES' })

/** Returns the length of a body by its Content-Length; 0 without a usable one, or for a body that is too large. */
export function announcedLength(contentLength: string | undefined, limit: number): number {
  const announced = Math.floor(Number(contentLength))
  return announced > 0 && announced <= limit ? announced : 0
}

type Block = Uint8Array<ArrayBuffer>

/** Bytes of a block, at most: what is held of a body that comes in small chunks is hardly more than its bytes. */
const BLOCK = 65_536

/** Returns whether to allocate the announced length: a sender may withhold most of what it announces. */
const isWholeMade = (length: number, announced: number): boolean => length <= announced && announced <= 4 * length

/**
 * Returns how many bytes the blocks of a body may have when `length` bytes have arrived. When an announced body is
 * complete, these are its bytes.
 */
export const mostHeld = (length: number, announced: number): number =>
  isWholeMade(length, announced) ? announced : length + Math.min(length && Math.max(length, announced), BLOCK)

/**
 * Copies the chunks of a body into blocks: the first ones double, and the others are of one size. A buffer of the
 * announced length replaces them when a quarter of it has come, and is then not copied.
 */
export function collectChunks(announced = 0) {
  let blocks: Block[] = []
  /** bytes that have arrived */
  let length = 0
  /** bytes of all blocks */
  let held = 0

  /** Replaces all blocks by one of this size. */
  function joinIn(size: number): void {
    const whole = new Uint8Array(size)
    let at = 0
    for (const block of blocks) {
      whole.set(block.subarray(0, length - at), at)
      at += block.length
    }
    blocks = [whole]
    held = size
  }

  return {
    /** Returns the bytes of all blocks. */
    held: (): number => held,
    add(chunk: Uint8Array): void {
      const needed = length + chunk.length
      if (needed > held && held < announced && isWholeMade(needed, announced)) joinIn(announced)
      const free = held - length
      const last = blocks.at(-1)
      last?.set(chunk.subarray(0, free), last.length - free)
      if (chunk.length > free) {
        const rest = chunk.subarray(free)
        const block = new Uint8Array(Math.max(rest.length, Math.min(BLOCK, Math.max(held, announced - held))))
        block.set(rest)
        blocks.push(block)
        held += block.length
      }
      length = needed
    },
    /** Returns the bytes, in a buffer of exactly these. */
    join(): Block {
      if (blocks[0]?.length !== length) joinIn(length)
      return blocks[0]!
    },
    /** Drops all bytes. */
    clear(): void {
      blocks = []
      length = held = 0
    }
  }
}
