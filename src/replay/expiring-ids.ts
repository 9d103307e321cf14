import { idRows } from './id-rows.ts'

/**
 * A set with room for a fixed number of ids, each held until it has expired by two clocks. Two, because a
 * Date is judged by the system clock: when that is set back, a replay is recent again although the id has expired by
 * the monotonic clock.
 */
export interface ExpiringIds {
  /** Both clocks and `ttl` in milliseconds. `full`: all room is taken by ids that have not expired. */
  add(id: string, monotonic: number, system: number, ttl: number): 'added' | 'held' | 'full'
  delete(id: string): void
  /** Ids in memory: the held ones, and expired ones whose place was not reclaimed yet. */
  readonly size: number
}

// Each add brings one id, so any number above one reclaims faster than ids arrive. A small number keeps each add short,
// even when a million ids have expired since the last.
const RECLAIMED_PER_ADD = 4

const TICK = 100 // milliseconds: ids that expire in the same tick are filed together

// When full, at most this many ids are checked for one that has expired. It takes more than a few only when the system
// clock was set back.
const TRIES_WHEN_FULL = 1024

/**
 * Every step is O(1), amortised. Ids are grouped by the tick in which they expire, so expired ones are found without
 * checking any other, and nothing has to run between calls.
 *
 * A `Map` of strings would be shorter. With a million ids in it a claim took two to four times as long as with a
 * thousand, and the heap kept growing as ids came and went. So an id has a slot, the slot has columns, and an index of
 * integers leads from the id's hash to the slot (open addressing: Knuth, TAOCP volume 3, section 6.4).
 */
export function expiringIds(maxEntries: number): ExpiringIds {
  let capacity = Math.min(1024, maxEntries)
  let index = new Uint32Array(indexLength(capacity)) // pairs of slot + 1, or 0 for none, and hash
  let hashes = new Uint32Array(capacity)
  let expiries = new Float64Array(capacity) // by the monotonic clock
  let systemExpiries = new Float64Array(capacity)
  let places = new Uint32Array(capacity) // the position of the slot in its tick's list
  const ids = idRows()
  const byTick = new Map<number, number[]>()
  const freeSlots: number[] = []
  let slotsUsed = 0

  const seed = Math.floor(Math.random() * 2 ** 32) // so that nobody can prepare ids that collide
  let oldestTick = 0
  let latest = 0

  const home = (hash: number) => hash & (index.length / 2 - 1)
  const following = (at: number) => (at + 1) & (index.length / 2 - 1)
  const distance = (from: number, to: number) => (to - from) & (index.length / 2 - 1)

  const find = (id: string, hash: number): number | undefined => {
    for (let at = home(hash); index[2 * at] !== 0; at = following(at)) {
      const slot = index[2 * at]! - 1
      if (index[2 * at + 1] === hash && ids.holds(slot, id)) return slot
    }
    return undefined
  }

  const insert = (slot: number, hash: number) => {
    let at = home(hash)
    while (index[2 * at] !== 0) at = following(at)
    index[2 * at] = slot + 1
    index[2 * at + 1] = hash
  }

  // The following entries move up, so that a search which passed here still finds them (Knuth's Algorithm R).
  const erase = (slot: number) => {
    let hole = home(hashes[slot]!)
    while (index[2 * hole] !== slot + 1) hole = following(hole)
    for (let at = following(hole); index[2 * at] !== 0; at = following(at)) {
      if (distance(home(index[2 * at + 1]!), at) < distance(hole, at)) continue
      index.copyWithin(2 * hole, 2 * at, 2 * at + 2)
      hole = at
    }
    index[2 * hole] = 0
  }

  const grow = () => {
    capacity = Math.min(2 * capacity, maxEntries)
    hashes = copied(hashes, new Uint32Array(capacity))
    expiries = copied(expiries, new Float64Array(capacity))
    systemExpiries = copied(systemExpiries, new Float64Array(capacity))
    places = copied(places, new Uint32Array(capacity))
    index = new Uint32Array(indexLength(capacity))
    for (let slot = 0; slot < slotsUsed; slot++) insert(slot, hashes[slot]!)
  }

  const isOver = (slot: number, now: number, system: number) =>
    expiries[slot]! <= now && systemExpiries[slot]! <= system

  const file = (slot: number, expiry: number) => {
    expiries[slot] = expiry
    const filed = byTick.get(tickOf(expiry))
    places[slot] = filed?.length ?? 0
    if (filed === undefined) byTick.set(tickOf(expiry), [slot])
    else filed.push(slot)
  }

  const unfile = (slot: number) => {
    const tick = tickOf(expiries[slot]!)
    const filed = byTick.get(tick)!
    const last = filed.pop()!
    if (last !== slot) {
      filed[places[slot]!] = last
      places[last] = places[slot]!
    }
    if (filed.length === 0) byTick.delete(tick)
  }

  const remove = (slot: number) => {
    erase(slot)
    freeSlots.push(slot)
    unfile(slot)
  }

  // A slot of a tick that is over. It searches tick by tick; after more empty ticks than there are others, it jumps to
  // the first one that is not empty. So a month without a request costs no more than a minute.
  const oldestOver = (now: number): number | undefined => {
    const lastOver = Math.floor(now / TICK)
    for (let empty = 0; oldestTick <= lastOver; oldestTick++) {
      const slot = byTick.get(oldestTick)?.at(-1)
      if (slot !== undefined) return slot
      empty += 1
      if (empty <= byTick.size) continue
      oldestTick = lastOver
      for (const tick of byTick.keys()) oldestTick = Math.min(oldestTick, tick - 1)
    }
    return undefined
  }

  // Frees the place of one id of a tick that is over; false when there is no such tick. An id that has not expired by
  // the system clock is moved to the tick in which it will.
  const reclaimOne = (now: number, system: number): boolean => {
    const slot = oldestOver(now)
    if (slot === undefined) return false
    if (isOver(slot, now, system)) {
      remove(slot)
    } else {
      unfile(slot)
      file(slot, Math.ceil(now + systemExpiries[slot]! - system))
    }
    return true
  }

  // The same for the current tick, in which some ids have expired: only these few are checked, and only when full.
  const reclaimFromRunningTick = (now: number, system: number): boolean => {
    const slot = byTick.get(Math.floor(now / TICK) + 1)?.find(slot => isOver(slot, now, system))
    if (slot === undefined) return false
    remove(slot)
    return true
  }

  return {
    add(id, monotonic, system, ttl) {
      const now = Math.max(monotonic, latest) // a clock that goes back counts as stopped
      latest = now
      for (let i = 0; i < RECLAIMED_PER_ADD && reclaimOne(now, system); i++);

      const hash = hashOf(id, seed)
      const known = find(id, hash)
      if (known !== undefined) {
        if (!isOver(known, now, system)) return 'held'
        remove(known)
      }
      for (let tries = 0; slotsUsed - freeSlots.length >= maxEntries; tries++) {
        if (tries === TRIES_WHEN_FULL) return 'full'
        if (!reclaimOne(now, system) && !reclaimFromRunningTick(now, system)) return 'full'
      }
      if (freeSlots.length === 0 && slotsUsed === capacity) grow()

      const slot = freeSlots.pop() ?? slotsUsed++
      ids.set(slot, id)
      hashes[slot] = hash
      systemExpiries[slot] = system + ttl
      file(slot, Math.ceil(now + ttl))
      insert(slot, hash)
      return 'added'
    },
    delete(id) {
      const slot = find(id, hashOf(id, seed))
      if (slot !== undefined) remove(slot)
    },
    get size() {
      return slotsUsed - freeSlots.length
    }
  }
}

/** The tick by whose end an id that expires at `expiry` has expired. */
function tickOf(expiry: number): number {
  return Math.ceil(expiry / TICK)
}

/** FNV-1a over the UTF-16 code units, and MurmurHash3's finalizer for the low bits. It finds; `ids.holds` decides. */
function hashOf(id: string, seed: number): number {
  let hash = seed
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The number of pairs: a power of two, so that a mask wraps it; at most half are used, so that a search is short. */
function indexLength(capacity: number): number {
  return 2 ** Math.ceil(Math.log2(2 * capacity)) * 2
}

function copied<T extends Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from)
  return to
}
