/**
 * Pieces that a body may have whatever their size, such as the tokens of a JSON document. One packet of Node.js, 64 KB,
 * holds more than these, and is parsed before anyone can refuse the body.
 */
const FREE_PIECES = 8192

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

/** The length of a body by its Content-Length; 0 where that says nothing, or that the body is too large. */
export function announcedLength(contentLength: string | undefined, limit: number): number {
  const announced = Number(contentLength)
  return Number.isInteger(announced) && announced > 0 && announced <= limit ? announced : 0
}

type Block = Uint8Array<ArrayBuffer>

/** Bytes of a block, at most: what is held of a body that comes in small pieces is hardly more than its bytes. */
const BLOCK = 65_536

/** Returns whether a buffer of the announced length is made: a sender may withhold most of what it announces. */
const isWholeMade = (length: number, announced: number): boolean => length <= announced && announced <= 4 * length

/**
 * Returns how many bytes the blocks of a body have at most, of which so many bytes have come. When all of an announced
 * body have come, these are its bytes.
 */
export const mostHeld = (length: number, announced: number): number =>
  isWholeMade(length, announced) ? announced : length + Math.min(length && Math.max(length, announced), BLOCK)

/**
 * Copies the pieces of a body into blocks: the first ones double, and the others are of one size. A buffer of the
 * announced length replaces them when a quarter of it has come, and is then not copied.
 */
export function collectPieces(announced = 0) {
  let blocks: Block[] = []
  /** bytes that have come, and bytes of all blocks */
  let [length, held] = [0, 0]

  function copyTo(whole: Block): Block {
    let at = 0
    for (const block of blocks) {
      whole.set(at + block.length > length ? block.subarray(0, length - at) : block, at)
      at += block.length
    }
    return whole
  }

  function replaceBlocks(by: readonly Block[]): void {
    blocks = [...by]
    held = by.reduce((sum, block) => sum + block.length, 0)
  }

  return {
    /** Returns the bytes of all blocks. */
    held: (): number => held,
    add(piece: Uint8Array): void {
      if (piece.length === 0) return
      const needed = length + piece.length
      if (needed > held && held < announced && isWholeMade(needed, announced))
        replaceBlocks([copyTo(new Uint8Array(announced))])
      const free = held - length
      const last = blocks.at(-1)
      if (piece.length <= free) last!.set(piece, last!.length - free)
      else {
        last?.set(piece.subarray(0, free), last.length - free)
        const rest = piece.subarray(free)
        const size = Math.max(rest.length, Math.min(BLOCK, Math.max(held, announced - held)))
        const block = new Uint8Array(size)
        block.set(rest)
        blocks.push(block)
        held += size
      }
      length = needed
    },
    /** Returns the bytes, in a buffer of exactly these. */
    join(): Block {
      if (blocks.length !== 1 || held !== length) replaceBlocks([copyTo(new Uint8Array(length))])
      return blocks[0]!
    },
    /** Drops all bytes. */
    clear(): void {
      length = 0
      replaceBlocks([])
    }
  }
}
