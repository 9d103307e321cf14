/** One stored request. */
export interface StoreItem {
  /** signed with a key under the service's domain: a claim until the signature has verified */
  readonly isSigned: boolean
  /** the main failure, or what else tells one kind of refusal from another */
  readonly code: string
}

/**
 * Stores at most `keep` items, half of them for signed requests. An item is evicted from the half that is over its
 * share, so unsigned requests evict no signed one from its half, and the other way round. A half that is not full lends
 * its places to the other.
 */
export function createStore<I extends StoreItem>(keep: number) {
  const signedShare = Math.ceil(keep / 2)
  const signed = createHalf<I>()
  const unsigned = createHalf<I>()
  let order = 0

  return {
    /** Adds the newest item, and returns the item that it evicts. */
    add(item: I): I | undefined {
      order += 1
      const half = item.isSigned ? signed : unsigned
      half.add({ order, item })
      if (signed.size() + unsigned.size() <= keep) return undefined
      return (signed.size() > signedShare ? signed : unsigned).evict(order)
    },
    /** Removes the oldest of all items, and returns it. */
    takeOldest(): I | undefined {
      const [first, second] = [signed.oldest(), unsigned.oldest()]
      const isSignedFirst = second === undefined || (first !== undefined && first.order < second.order)
      return isSignedFirst ? first && signed.remove(first) : unsigned.remove(second)
    },
    /** Returns all items, the newest first. */
    newestFirst: (): I[] =>
      [...signed.all(), ...unsigned.all()].sort((a, b) => b.order - a.order).map(({ item }) => item)
  }
}

interface Ordered<I> {
  readonly order: number
  readonly item: I
}

/**
 * Keeps the first item of each code, which shows how an incident began, and the newest items. The first of a code goes
 * when another code needs its place.
 */
function createHalf<I extends StoreItem>() {
  const byCode = new Map<string, Ordered<I>[]>()
  let count = 0

  function remove(found: Ordered<I>): I {
    const list = byCode.get(found.item.code)!
    list.splice(list.indexOf(found), 1)
    if (list.length === 0) byCode.delete(found.item.code)
    count -= 1
    return found.item
  }

  /** Returns the oldest of the items that are at this place in the list of their code. */
  function oldest(place = 0, except = 0): Ordered<I> | undefined {
    let found: Ordered<I> | undefined
    for (const list of byCode.values()) {
      const candidate = list[place]
      if (candidate === undefined || candidate.order === except) continue
      if (found === undefined || candidate.order < found.order) found = candidate
    }
    return found
  }

  return {
    add(added: Ordered<I>): void {
      const list = byCode.get(added.item.code)
      if (list === undefined) byCode.set(added.item.code, [added])
      else list.push(added)
      count += 1
    },
    /** Evicts an item other than the newest, unless that is the only one. */
    evict(newest: number): I {
      const earlierOfSameCode = () => [...byCode.values()].find(list => list[1]?.order === newest)?.[0]
      const evicted = oldest(1, newest) ?? earlierOfSameCode() ?? oldest(0, newest) ?? oldest()
      return remove(evicted!)
    },
    remove,
    oldest,
    size: () => count,
    all: () => [...byCode.values()].flat()
  }
}
