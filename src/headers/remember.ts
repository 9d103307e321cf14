/** A sender has a few kinds of requests (a webhook, a download), and each repeats itself. */
export const FEW = 4

/** Puts the newest in front, and lets go of the oldest when there are more than a few. */
export function keepFew<T>(list: T[], newest: T): void {
  if (list.length === FEW) list.pop()
  list.unshift(newest)
}

/**
 * Senders repeat themselves from request to request: the same covered list, the same keyId, the same second. Keeps the
 * last few sources and what was read from each, and nothing more.
 */
export function rememberFew<K, T>(read: (source: K) => T): (source: K) => T {
  const sources: K[] = []
  const results: T[] = []
  let oldest = 0
  return source => {
    for (let i = 0; i < sources.length; i++) if (sources[i] === source) return results[i]!
    const result = read(source)
    sources[oldest] = source
    results[oldest] = result
    oldest = (oldest + 1) % FEW
    return result
  }
}
