/** What is kept of one request. */
export interface Item {
  /** signed with a key under the service's domain: a claim until the signature has verified */
  readonly isSigned: boolean
}

export type Shelf<I extends Item> = ReturnType<typeof createShelf<I>>

/**
 * Keeps the newest items, and half of them for signed ones: scanners push no signed one out of that half, and use it
 * while it is empty.
 */
export function createShelf<I extends Item>(keep: number) {
  const reserved = Math.ceil(keep / 2)
  let count = 0
  const signed: [order: number, item: I][] = []
  const others: [order: number, item: I][] = []

  /** The list that gives up its oldest one. */
  function surplusList(): [order: number, item: I][] {
    if (others.length === 0) return signed
    return signed.length <= reserved || others[0]![0] < signed[0]![0] ? others : signed
  }

  return {
    /** Adds the newest item, and returns the one that has to go for it. */
    add(item: I): I | undefined {
      count += 1
      ;(item.isSigned ? signed : others).push([count, item])
      return signed.length + others.length > keep ? surplusList().shift()![1] : undefined
    },
    /** Takes the oldest of all. */
    takeOldest(): I | undefined {
      const isSignedFirst = others.length === 0 || (signed.length > 0 && signed[0]![0] < others[0]![0])
      return (isSignedFirst ? signed : others).shift()?.[1]
    },
    /** Returns all items, the newest first. */
    newestFirst: (): I[] => [...signed, ...others].sort(([a], [b]) => b - a).map(([, item]) => item)
  }
}
