/** What one request holds of a room. */
export interface Place {
  /** Takes so much more. */
  grow(by: number): void
  /** Keeps what it holds: it is no longer asked to make room. */
  settle(): void
  /** Gives back all of it. */
  free(): void
}

/**
 * Room for what waits. When it is full, whoever has waited longest makes room and is told so: requests that only wait
 * keep no other one out.
 */
export function createRoom(limit: number): (onFull: () => void) => Place {
  /** those that can be asked to make room, the oldest first, and what to do then */
  const waiting = new Map<Place, () => void>()
  let used = 0
  return onFull => {
    let size = 0
    const place: Place = {
      grow(by) {
        size += by
        used += by
        for (const [oldest, evict] of waiting) {
          if (used <= limit) return
          oldest.free()
          evict()
        }
      },
      settle: () => void waiting.delete(place),
      free() {
        waiting.delete(place)
        used -= size
        size = 0
      }
    }
    waiting.set(place, onFull)
    return place
  }
}
