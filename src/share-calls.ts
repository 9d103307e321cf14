/** All callers that wait share one call. */
export function shareCalls<T>(call: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined
  return () => {
    pending ??= call().finally(() => {
      pending = undefined
    })
    return pending
  }
}
