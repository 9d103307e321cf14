/** Ids by slot number, kept as bytes where the garbage collector has nothing to do with them. */
export interface IdRows {
  set(slot: number, id: string): void
  holds(slot: number, id: string): boolean
}

const WIDTH = 64 // a SHA-256 in hexadecimal is 64 characters, in base64 44
const ROWS_PER_BLOCK = 4096 // growing adds a block and copies nothing
const ELSEWHERE = 255 // in place of a length

/**
 * With a million strings that come and go the garbage collector falls behind: the heap grows to several times their
 * size. So an id of up to 64 Latin-1 characters becomes a row of bytes. Any other id is kept as the string it is.
 */
export function idRows(): IdRows {
  const blocks: { lengths: Uint8Array; characters: Uint8Array }[] = []
  const elsewhere = new Map<number, string>()

  const blockOf = (slot: number) => blocks[Math.floor(slot / ROWS_PER_BLOCK)]

  return {
    set(slot, id) {
      let block = blockOf(slot)
      if (block === undefined) {
        block = {
          lengths: new Uint8Array(ROWS_PER_BLOCK),
          characters: new Uint8Array(ROWS_PER_BLOCK * WIDTH)
        }
        blocks.push(block) // slots are first used in order
      }
      const row = slot % ROWS_PER_BLOCK
      let i = 0
      if (id.length <= WIDTH) {
        for (; i < id.length && id.charCodeAt(i) < 256; i++)
          block.characters[row * WIDTH + i] = id.charCodeAt(i)
      }
      const fits = i === id.length
      block.lengths[row] = fits ? id.length : ELSEWHERE
      if (fits) elsewhere.delete(slot)
      else elsewhere.set(slot, id)
    },
    holds(slot, id) {
      const { lengths, characters } = blockOf(slot)!
      const row = slot % ROWS_PER_BLOCK
      if (lengths[row] === ELSEWHERE) return elsewhere.get(slot) === id
      if (lengths[row] !== id.length) return false
      for (let i = 0; i < id.length; i++) if (characters[row * WIDTH + i] !== id.charCodeAt(i)) return false
      return true
    }
  }
}
