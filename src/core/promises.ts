/**
 * Settles as `promise` does, or with the result of `onLate` once `timeout` milliseconds have passed, whatever the
 * promise does then.
 */
export function withDeadline<T, L>(promise: Promise<T>, timeout: number, onLate: () => L | Promise<L>): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(onLate()), timeout)
    const settle = () => clearTimeout(timer)
    promise.then(settle, settle)
    promise.then(resolve, reject)
  })
}

/** Shares one call among all callers that wait for it. */
export function shareCalls<T>(call: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined
  return () => {
    pending ??= call().finally(() => {
      pending = undefined
    })
    return pending
  }
}
