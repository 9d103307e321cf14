/** One kept request. */
export interface Item {
  /** signed with a key under the service's domain: a claim until the signature has verified */
  readonly isSigned: boolean
}

export type Shelf<I extends Item> = ReturnType<typeof createShelf<I>>

/**
 * Keeps the newest items. Half of the number is for signed ones: scanners evict no signed item from that half, and use
 * it while it is empty.
 */
export function createShelf<I extends Item>(keep: number) {
  const reserved = Math.ceil(keep / 2)
  let count = 0
  const signed: [order: number, item: I][] = []
  const others: [order: number, item: I][] = []

  /** Returns the list that loses its oldest item. */
  function surplusList(): [order: number, item: I][] {
    if (others.length === 0) return signed
    return signed.length <= reserved || others[0]![0] < signed[0]![0] ? others : signed
  }

  return {
    /** Adds the newest item, and returns the item that it evicts. */
    add(item: I): I | undefined {
      count += 1
      ;(item.isSigned ? signed : others).push([count, item])
      return signed.length + others.length > keep ? surplusList().shift()![1] : undefined
    },
    /** Removes the oldest of all items, and returns it. */
    takeOldest(): I | undefined {
      const isSignedFirst = others.length === 0 || (signed.length > 0 && signed[0]![0] < others[0]![0])
      return (isSignedFirst ? signed : others).shift()?.[1]
    },
    /** Returns all items, the newest first. */
    newestFirst: (): I[] => [...signed, ...others].sort(([a], [b]) => b - a).map(([, item]) => item)
  }
}
