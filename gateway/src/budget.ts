/** The share of a budget that one request holds. */
export interface Lease {
  /** Charges this amount more; a negative amount is given back. */
  charge(amount: number): void
  /** Keeps what it holds: the lease can no longer be revoked. */
  pin(): void
  /** Gives back all that it holds. */
  release(): void
}

/**
 * Creates a budget for all requests together. Above its limit, leases are revoked until the rest fits: the newest lease
 * of the owner that has most of them, so that copies of one request compete with each other; the oldest, when each
 * owner has one, so that requests that only wait keep no other request out.
 *
 * @returns leases a share: owner identifies what all copies of a request have in common; onRevoked is called once, when
 *   the lease has been taken back
 */
export function createBudget(limit: number): (owner: unknown, onRevoked: () => void) => Lease {
  /** The leases that can be revoked, and their callbacks, by owner. Both maps have the oldest first. */
  const revocable = new Map<unknown, Map<Lease, () => void>>()
  let used = 0

  function pin(owner: unknown, lease: Lease): void {
    const leases = revocable.get(owner)
    if (leases?.delete(lease) && leases.size === 0) revocable.delete(owner)
  }

  function revokeOne(): boolean {
    let most: ReadonlyMap<Lease, () => void> = new Map()
    for (const leases of revocable.values()) if (leases.size > most.size) most = leases
    const newest = [...most].at(-1)
    newest?.[0].release()
    newest?.[1]()
    return newest !== undefined
  }

  return (owner, onRevoked) => {
    let held = 0
    const lease: Lease = {
      charge(amount) {
        held += amount
        used += amount
        while (used > limit && revokeOne());
      },
      pin: () => pin(owner, lease),
      release() {
        pin(owner, lease)
        used -= held
        held = 0
      }
    }
    const leases = revocable.get(owner) ?? new Map()
    revocable.set(owner, leases.set(lease, onRevoked))
    return lease
  }
}
