import { claimInTime } from '../replay/claim.ts'
import type { ReplayStore } from '../replay/store.ts'
import type { Result } from '../result.ts'
import type { Settings } from '../settings.ts'
import { base64Digest } from '../signature/hash.ts'

/**
 * 12. The request was not seen before. The id is a hash of the decoded signature, so another spelling of it is the
 * same id; it is kept until the last moment at which the Date would still be accepted.
 */
export function checkReplay(
  store: ReplayStore,
  signature: Uint8Array,
  date: Date,
  now: number,
  { dateTolerance, replayTimeout }: Settings
): Promise<Result<string>> {
  const id = base64Digest('sha256', signature)
  const acceptableSeconds = (date.getTime() - now) / 1000 + dateTolerance
  return claimInTime(store, id, Math.ceil(acceptableSeconds) + 1, replayTimeout)
}
