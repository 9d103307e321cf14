import type { HeaderLine } from './exchange.ts'

/**
 * Lets one request of each signature be verified at a time: the replay check is the last one, so whoever has captured
 * one signed head could make the gateway hold a body for each connection. A later one waits, and is a replay if the
 * first was verified.
 */
export function createSignatureQueue() {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(headers: readonly HeaderLine[], verify: () => Promise<T>): Promise<T> => {
    const signatures = signaturesIn(headers)
    const verified = Promise.all(signatures.map(signature => last.get(signature))).then(verify)
    const over = verified.catch(() => {})
    for (const signature of signatures) last.set(signature, over)
    try {
      return await verified
    } finally {
      for (const signature of signatures) if (last.get(signature) === over) last.delete(signature)
    }
  }
}

/**
 * Their bytes in Base64, of which only the canonical form is accepted: of the draft (`signature="..."`), and all those
 * of RFC 9421 (`sig1=:...:`).
 */
function signaturesIn(headers: readonly HeaderLine[]): readonly string[] {
  const values = headers.flatMap(([name, value]) => (name.toLowerCase() === 'signature' ? [value] : []))
  return [...new Set(values.join().match(/(?<=signature="|:)[A-Za-z0-9+/]{40,}=*(?=[":])/g))]
}
