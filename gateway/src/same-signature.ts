import { parseSignatureHeader } from 'signed-requests'
import type { HeaderLine } from './exchange.ts'

/**
 * Lets one request of each signature be verified at a time: the replay check is the last one, so whoever has captured
 * one signed head could make the gateway hold a body for each connection. A later one waits, and is a replay if the
 * first was verified.
 *
 * Resolves when the earlier ones are over, to a function to call when this one is.
 */
export function createSignatureQueue(): (headers: readonly HeaderLine[]) => Promise<() => void> {
  const last = new Map<string, Promise<void>>()
  return async headers => {
    const keys = signaturesIn(headers)
    const earlier = keys.map(key => last.get(key))
    let done = () => {}
    const over = new Promise<void>(resolve => {
      done = resolve
    })
    for (const key of keys) last.set(key, over)
    await Promise.all(earlier)
    return () => {
      done()
      for (const key of keys) if (last.get(key) === over) last.delete(key)
    }
  }
}

/** Their bytes in Base64, of which only the canonical form is accepted: of the draft, and all those of RFC 9421. */
function signaturesIn(headers: readonly HeaderLine[]): readonly string[] {
  const text = headers
    .filter(([name]) => name.toLowerCase() === 'signature')
    .map(([, value]) => value)
    .join(', ')
  const draft = parseSignatureHeader(text)
  if (draft.ok) return [Buffer.from(draft.value.signature).toString('base64')]
  return [...new Set(text.match(/(?<=:)[A-Za-z0-9+/]{40,}=*(?=:)/g))]
}
