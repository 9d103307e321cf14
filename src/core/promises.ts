/**
 * Settles as `promise` does, or with the result of `onLate` once `timeout` milliseconds have passed, whatever the
 * promise does then.
 */
export function withDeadline<T, L>(promise: Promise<T>, timeout: number, onLate: () => L | Promise<L>): Promise<T | L> {
  return new Promise((resolve, reject) => {
    let isSettled = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const settle = () => {
      isSettled = true
      clearTimeout(timer)
    }
    promise.then(settle, settle)
    promise.then(resolve, reject)
    // The timer starts one turn of the event loop later: a result that is there at once needs no timer, which costs a
    // third of an RSA verification.
    SOON.then(() => {
      if (!isSettled) timer = setTimeout(() => resolve(onLate()), timeout)
    })
  })
}

const SOON = /* @__PURE__ */ Promise.resolve()

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
