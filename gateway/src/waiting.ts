import { type Budget, createBudget } from './budget.ts'

/** What a connection may wait for while a new one may replace it. */
type Reason = 'unverified' | 'idle' | 'silent' | 'key' | 'body'

export type WaitingConnections = ReturnType<typeof createWaitingConnections>

/**
 * Keeps the connections that a new one may replace, by what they wait for: those that have not sent a whole head, that
 * are idle since their last answer, whose request was not verified and has no whole answer, or whose request waits for
 * DNS or for the rest of its body. A connection waits for one thing at a time.
 */
export function createWaitingConnections() {
  const groups: Readonly<Record<Reason, Budget>> = {
    unverified: createBudget(),
    idle: createBudget(),
    // The oldest would be certain to end: anybody who opens connections fast could end every slow sender.
    silent: createBudget({ choose: 'random' }),
    key: createBudget(),
    body: createBudget()
  }
  /** The end of what each connection waits for. */
  const ends = new Map<string, () => void>()

  return {
    /** Ends what a connection waits for. */
    end: (connection: string): void => ends.get(connection)?.(),
    /**
     * Notes what a connection waits for now, until that or another wait begins or ends.
     *
     * @param owner what shares a group fairly: the one that has most of it is replaced first
     * @returns ends this wait
     */
    begin(connection: string, reason: Reason, owner: unknown, onReplaced: () => void): () => void {
      ends.get(connection)?.()
      const lease = groups[reason].lease(owner, () => {
        end()
        onReplaced()
      })
      lease.charge(1)
      const end = () => {
        lease.release()
        if (ends.get(connection) === end) ends.delete(connection)
      }
      ends.set(connection, end)
      return end
    },
    /**
     * Replaces one of the largest group, so that an attacker who has most of the connections loses them. Returns false
     * when none can be replaced.
     */
    replaceOne: (): boolean =>
      Object.values(groups)
        .reduce((most, group) => (group.used() > most.used() ? group : most))
        .revokeOne()
  }
}
