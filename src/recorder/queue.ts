import { createStore, type StoreItem } from './store.ts'

export type Queue<I extends StoreItem> = ReturnType<typeof createQueue<I>>

/**
 * Handles items one at a time, in the background. At most `keep` wait: if they arrive faster than they are handled,
 * a store decides which of them are dropped.
 *
 * @param handle must not reject
 */
export function createQueue<I extends StoreItem>(keep: number, handle: (item: I) => Promise<void>) {
  const waiting = createStore<I & { readonly order: number }>(keep)
  const listeners = new Set<() => void>()
  let added = 0
  let done = 0
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    for (;;) {
      await afterResponses()
      const next = waiting.takeOldest()
      if (next === undefined) break
      await handle(next)
      finish(next.order)
    }
    isRunning = false
    // The newest may have been dropped.
    finish(added)
  }

  function finish(order: number): void {
    done = order
    for (const listener of [...listeners]) listener()
  }

  return {
    add(item: I): void {
      added += 1
      waiting.add({ ...item, order: added })
      if (!isRunning) void run()
    },
    /** Resolves when all earlier items are handled or dropped. */
    finished(): Promise<void> {
      const last = added
      return new Promise(resolve => {
        const listener = () => {
          if (done < last) return
          listeners.delete(listener)
          resolve()
        }
        listeners.add(listener)
        listener()
      })
    }
  }
}

/** Lets the event loop send waiting responses first. */
const afterResponses = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
