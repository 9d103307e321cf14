import { createBudget, type Lease } from './budget.ts'

/** Names what a connection may wait for while a new one may replace it. */
export type Reason = 'unverified' | 'idle' | 'silent' | 'key' | 'body'

/** A connection that may wait for something, for one thing at a time. */
export interface Waiter {
  /** the connections that wait for the same; undefined while it waits for nothing */
  group: Group | undefined
  /** what it holds in a group that is shared by owner */
  lease: Lease | undefined
  onReplaced: () => void
}

/** The connections that wait for one thing. */
interface Group {
  size(): number
  /** @param owner who shares the group fairly: the one that has most of it is replaced first */
  add(waiter: Waiter, owner: unknown): void
  delete(waiter: Waiter): void
  replaceOne(): boolean
}

export type WaitingConnections = ReturnType<typeof createWaitingConnections>

/**
 * Keeps the connections that a new one may replace, by what they wait for: those that have not sent a whole head, that
 * are idle since their last answer, whose request was not verified and has no whole answer, or whose request waits for
 * DNS or for the rest of its body.
 */
export function createWaitingConnections() {
  const groups: Readonly<Record<Reason, Group>> = {
    unverified: createQueue(end),
    idle: createQueue(end),
    // The oldest would be certain to end: anybody who opens connections fast could end every slow sender.
    silent: createShares('random', end),
    key: createQueue(end),
    body: createShares('newest', end)
  }

  /** Ends what a connection waits for. */
  function end(waiter: Waiter): void {
    waiter.group?.delete(waiter)
    waiter.group = undefined
  }

  return {
    end,
    /** Notes what a connection waits for now, until that or another wait begins or ends. */
    begin(waiter: Waiter, reason: Reason, onReplaced: () => void, owner?: unknown): void {
      end(waiter)
      waiter.onReplaced = onReplaced
      waiter.group = groups[reason]
      waiter.group.add(waiter, owner)
    },
    /**
     * Replaces one of the largest group, so that an attacker who has most of the connections loses them. Returns false
     * when none can be replaced.
     */
    replaceOne: (): boolean =>
      Object.values(groups)
        .reduce((most, group) => (group.size() > most.size() ? group : most))
        .replaceOne()
  }
}

type End = (waiter: Waiter) => void

/** Makes a group whose oldest connection is replaced. Each request joins and leaves one: a lease would cost more. */
function createQueue(end: End): Group {
  const waiters = new Set<Waiter>()
  return {
    size: () => waiters.size,
    add: waiter => void waiters.add(waiter),
    delete: waiter => void waiters.delete(waiter),
    replaceOne() {
      const [oldest] = waiters
      if (oldest === undefined) return false
      end(oldest)
      oldest.onReplaced()
      return true
    }
  }
}

/** Makes a group that is shared fairly by owner. */
function createShares(choose: 'newest' | 'random', end: End): Group {
  const budget = createBudget({ choose })
  return {
    size: budget.used,
    add(waiter, owner) {
      waiter.lease = budget.lease(owner, () => {
        end(waiter)
        waiter.onReplaced()
      })
      waiter.lease.charge(1)
    },
    delete(waiter) {
      waiter.lease?.release()
      waiter.lease = undefined
    },
    replaceOne: budget.revokeOne
  }
}
