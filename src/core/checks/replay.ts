import { base64Digest } from '../http/digest.ts'
import type { Settings } from '../options/options.ts'
import type { Claim, Claims } from '../replay/claim.ts'
import type { Result } from '../result/result.ts'

/**
 * 12. The request was not seen before. The id is a hash of the decoded signature, so another encoding of the same
 * signature has the same id. It is kept until no copy can be accepted: until the Date is no longer recent, plus the
 * time that a copy's own claim may take.
 */
export async function checkReplay(
  { store, claim }: Claims,
  signature: Uint8Array,
  date: Date,
  now: number,
  { dateTolerance, replayTimeout }: Settings
): Promise<Result<Claim>> {
  const id = base64Digest('sha256', signature)
  const acceptableSeconds = (date.getTime() - now + replayTimeout) / 1000 + dateTolerance
  const claimed = await claim(id, Math.ceil(acceptableSeconds) + 1)
  if (claimed.ok || claimed.code !== 'replay-store-failed') return claimed
  try {
    const { name } = store
    if (typeof name === 'string') claimed.evidence.store = name
  } catch {
    // A getter threw.
  }
  return claimed
}
