import { base64Digest } from '../http/digest.ts'
import type { Claim, Claims } from '../replay/claim.ts'
import type { Result } from '../result/result.ts'
import { measured } from '../verdict/diagnostics.ts'
import { NO_STORE } from '../verdict/refuse.ts'
import type { Examination, Nothing } from './context.ts'

/**
 * The request was not seen before. The id is a hash of the decoded signature, so another encoding of the same
 * signature has the same id. It is kept until no copy can be accepted: until the Date is no longer recent, plus the
 * time that a copy's own claim may take.
 */
export function checkReplay(examination: Examination<'date' | 'signature-header'>): Nothing | Promise<Result<Claim>> {
  const { claims } = examination.tools
  return claims === undefined ? NO_STORE : claimOnce(examination, claims)
}

async function claimOnce(
  { results, now, settings, timing }: Examination<'date' | 'signature-header'>,
  { store, claim }: Claims
): Promise<Result<Claim>> {
  const { dateTolerance, replayTimeout } = settings
  const id = base64Digest('sha256', results['signature-header'].value.parsed.signature)
  const acceptableSeconds = (results.date.value.getTime() - now + replayTimeout) / 1000 + dateTolerance
  const claimed = await measured(timing, 'replayMs', () => claim(id, Math.ceil(acceptableSeconds) + 1))
  if (claimed.ok || claimed.code !== 'replay-store-failed') return claimed
  try {
    const { name } = store
    if (typeof name === 'string') claimed.evidence.store = name
  } catch {
    // A getter threw.
  }
  return claimed
}
