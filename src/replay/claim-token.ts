import { randomBytes } from 'node:crypto'

/**
 * What a store writes next to the ids that it claims, so that a release frees only its own claims. One random value per
 * store object: `release(id)` passes only the id, so a value per claim would distinguish no more, and would have to be
 * remembered for as long as the id.
 *
 * It is made at the first claim. Workers have no random values while a module loads, and a snapshot of a process that
 * has not claimed yet may be started many times.
 */
export function claimToken(): () => string {
  let token: string | undefined
  return () => {
    token ??= randomBytes(16).toString('base64url')
    return token
  }
}
