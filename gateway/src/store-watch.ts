import type { ReplayStore, Verdict } from 'signed-requests'
import type { Exchange, Malformed } from './exchange.ts'

export type StoreWatch = ReturnType<typeof watchStore>

/** Limits the characters of an error in a log line. */
const MAX_TEXT = 200

/**
 * Watches a replay store: says once when it begins to fail and once when it is back, and remembers its last error.
 *
 * @param note prints a line for the operator
 * @param now milliseconds of a monotonic clock
 */
export function watchStore(
  store: ReplayStore | undefined,
  note: (line: string) => void,
  now = (): number => performance.now()
) {
  const name = store?.name ?? 'the replay store'
  let lastError: string | undefined
  let failingSince: number | undefined
  let failed = 0

  function onFailure(error: unknown): void {
    lastError = errorText(error)
    failed += 1
    if (failingSince !== undefined) return
    failingSince = now()
    note(`${name} fails: ${lastError}; senders get 503 until it is back`)
  }

  function onSuccess(): void {
    if (failingSince === undefined) return
    const seconds = Math.round((now() - failingSince) / 1000)
    note(`${name} is back after ${seconds} s, in which ${failed} calls failed; the last error: ${lastError}`)
    failingSince = undefined
    failed = 0
  }

  async function watched<T>(call: Promise<T>): Promise<T> {
    try {
      const reply = await call
      onSuccess()
      return reply
    } catch (error) {
      onFailure(error)
      throw error
    }
  }

  return {
    store: store && {
      ...store,
      claim: (...call: Parameters<ReplayStore['claim']>) => watched(store.claim(...call)),
      release: (...call: Parameters<ReplayStore['release']>) => watched(store.release(...call))
    },
    /** Adds the error of the store to an exchange that it made unavailable. */
    withError<E extends Exchange | Malformed>(exchange: E): E {
      if (exchange.verdict === undefined) return exchange
      const storeError = storeErrorOf(exchange.verdict, lastError)
      return storeError === undefined ? exchange : { ...exchange, storeError }
    }
  }
}

/** Returns the error because of which a verdict is unavailable; that of an earlier claim, where that is undecided. */
function storeErrorOf({ failures }: Verdict, lastError: string | undefined): string | undefined {
  for (const failure of failures) {
    if (failure.code !== 'replay-store-failed') continue
    const { cause } = failure as { readonly cause?: unknown }
    if (cause !== undefined) return errorText(cause)
    return failure.evidence.problem === 'undecided' ? lastError : failure.evidence.error
  }
  return undefined
}

/** Describes an error by its code and its message, in one line of printable ASCII. */
export function errorText(error: unknown): string {
  const { code = '', message = '' } = Object(error) as { code?: unknown; message?: unknown }
  const text = `${message}`.includes(`${code}`) ? `${message}` : `${code} ${message}`.trim()
  return (text || String(Object(error).name ?? error)).slice(0, MAX_TEXT).replace(/[^ -~]/g, '?')
}
