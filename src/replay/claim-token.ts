import { randomBytes } from 'node:crypto'

/**
 * What a store writes beside the ids that it claims, so that a release frees its own claims and nobody else's. One
 * random value for each store object: `release(id)` names no more than the id, so a value for each claim could tell
 * no more apart, and would have to be remembered for as long as the id.
 *
 * It is drawn at the first claim. Workers draw nothing while a module loads, and a snapshot of a process that has not
 * claimed yet may be started many times.
 */
export function claimToken(): () => string {
  let token: string | undefined
  return () => {
    token ??= randomBytes(16).toString('base64url')
    return token
  }
}
