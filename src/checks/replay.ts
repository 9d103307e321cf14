import { withDeadline } from '../deadline.ts'
import { base64Digest } from '../http/digest.ts'
import type { Settings } from '../options/options.ts'
import type { ReplayStore } from '../replay/store.ts'
import { errorLabel, fail, ok, type Result, withCause } from '../verdict/result.ts'

/**
 * 12. The request was not seen before. The id is a hash of the decoded signature, so another encoding of the same
 * signature has the same id. It is kept until no copy can be accepted: until the Date is no longer recent, plus the
 * time that a copy's own claim may take.
 */
export async function checkReplay(
  store: ReplayStore,
  signature: Uint8Array,
  date: Date,
  now: number,
  { dateTolerance, replayTimeout }: Settings
): Promise<Result<string>> {
  const id = base64Digest('sha256', signature)
  const acceptableSeconds = (date.getTime() - now + replayTimeout) / 1000 + dateTolerance
  // A store may throw where it should reject.
  const claim = (async (): Promise<unknown> => store.claim(id, Math.ceil(acceptableSeconds) + 1))()
  let problem = 'not a boolean'
  const onLate = () => {
    problem = `no answer within ${replayTimeout} ms`
    // Reported as unavailable, so a retry of the same bytes must be accepted.
    claim.then(claimed => (claimed === true ? store.release(id) : undefined)).catch(() => {})
  }
  try {
    const claimed = await withDeadline(claim, replayTimeout, onLate)
    if (claimed === true) return ok(id)
    if (claimed === false) return fail('replayed', { replayId: id })
    return fail('replay-store-failed', { error: problem })
  } catch (error) {
    return withCause(fail('replay-store-failed', { error: errorLabel(error) }), error)
  }
}
