/** Generates numbers, the same ones for the same seed (mulberry32). */
export interface Random {
  /** from 0 up to, not including, `end` */
  below(end: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  shuffle<T>(list: readonly T[]): T[]
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number): number => Math.floor(next() * end)
  return {
    below,
    chance: probability => next() < probability,
    pick: list => list[below(list.length)]!,
    shuffle: list => {
      const rest = [...list]
      return list.map(() => rest.splice(below(rest.length), 1)[0]!)
    }
  }
}
