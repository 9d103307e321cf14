/**
 * Senders repeat themselves from request to request: the same covered list, the same keyId, the same second. Keeps the
 * last text and what was read from it, and nothing more.
 */
export function rememberLast<T>(read: (text: string) => T): (text: string) => T {
  let lastText: string | undefined
  let last: T
  return text => {
    if (text !== lastText) {
      last = read(text)
      lastText = text
    }
    return last
  }
}
