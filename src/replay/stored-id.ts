import { base64Digest } from '../http/digest.ts'

const PLAIN = /^[!-~]{1,200}$/
const HASHED = 'sha256:'

/**
 * An id as a shared store writes it: unchanged when it is short and printable ASCII, as the verifier's are, otherwise a
 * hash. PostgreSQL accepts no NUL and no long key, and UTF-8 has one replacement for every lone surrogate.
 */
export function storedId(id: string): string {
  if (PLAIN.test(id) && !id.startsWith(HASHED)) return id
  return HASHED + base64Digest('sha256', Buffer.from(id, 'utf16le'))
}
