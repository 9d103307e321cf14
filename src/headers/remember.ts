/**
 * Senders repeat themselves from request to request: the same covered list, the same keyId, the same second. Keeps the
 * last text and what was read from it, and nothing more.
 */
export function rememberLast<K, T>(read: (source: K) => T): (source: K) => T {
  let lastSource: K | undefined
  let last: T
  return source => {
    if (source !== lastSource) {
      last = read(source)
      lastSource = source
    }
    return last
  }
}
