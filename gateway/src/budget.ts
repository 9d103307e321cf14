import { randomInt } from 'node:crypto'

/** The share of a budget that one request holds. */
export interface Lease {
  /** Charges this amount more; a negative amount is given back. */
  charge(amount: number): void
  /** Keeps what it holds: the lease can no longer be revoked. */
  pin(): void
  /** Gives back all that it holds. */
  release(): void
}

export interface Budget {
  /**
   * Leases a share.
   *
   * @param owner identifies what all copies of a request have in common
   * @param onRevoked called once, when the lease has been taken back
   */
  lease(owner: unknown, onRevoked: () => void): Lease
  /** Returns how much is held in all. */
  used(): number
  /** Revokes one lease. Returns false when no lease can be revoked. */
  revokeOne(): boolean
}

/** The leases of one owner that can be revoked, and their callbacks, the oldest first; and how much they hold. */
interface Owned {
  readonly leases: Map<Lease, () => void>
  held: number
}

interface BudgetOptions {
  readonly limit?: number
  /** which lease of its owner is revoked: a random one cannot be foreseen by its sender */
  readonly choose?: 'newest' | 'random'
}

/**
 * Creates a budget for all requests together. Above its limit, leases are revoked until the rest fits: one of the owner
 * that holds most, so that who floods pays, and copies of one request compete with each other; of the oldest owner,
 * where owners hold the same.
 */
export function createBudget({ limit = Number.POSITIVE_INFINITY, choose = 'newest' }: BudgetOptions = {}): Budget {
  /** The owners with leases that can be revoked, the oldest first. */
  const owners = new Map<unknown, Owned>()
  let used = 0

  function revokeOne(): boolean {
    let most: Owned | undefined
    for (const owned of owners.values()) if (owned.held > (most?.held ?? 0)) most = owned
    if (most === undefined) return false
    const leases = [...most.leases]
    const [lease, onRevoked] = leases[choose === 'newest' ? leases.length - 1 : randomInt(leases.length)]!
    lease.release()
    onRevoked()
    return true
  }

  function lease(owner: unknown, onRevoked: () => void): Lease {
    let held = 0
    const owned = owners.get(owner) ?? { leases: new Map(), held: 0 }
    const count = (amount: number) => {
      held += amount
      used += amount
      if (owned.leases.has(lease)) owned.held += amount
    }
    const lease: Lease = {
      charge(amount) {
        count(amount)
        while (used > limit && revokeOne());
      },
      pin() {
        if (!owned.leases.delete(lease)) return
        owned.held -= held
        if (owned.leases.size === 0) owners.delete(owner)
      },
      release() {
        count(-held)
        lease.pin()
      }
    }
    owners.set(owner, owned)
    owned.leases.set(lease, onRevoked)
    return lease
  }

  return { lease, revokeOne, used: () => used }
}
