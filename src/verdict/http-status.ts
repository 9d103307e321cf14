import { assertVerdict } from './assert-verdict.ts'
import type { Verdict } from './verdict.ts'

/**
 * The HTTP status to answer with: 200 verified, 401 rejected, 413 when the only failure is `body-too-large`,
 * 503 unavailable (the sender is asked to try again).
 *
 * @throws TypeError for anything but a verdict, such as a Promise that was not awaited
 */
export function httpStatus(verdict: Verdict): 200 | 401 | 413 | 503 {
  assertVerdict('httpStatus', verdict)
  if (verdict.status === 'verified') return 200
  if (verdict.status === 'unavailable') return 503
  const [first, ...others] = verdict.failures
  return first.code === 'body-too-large' && others.length === 0 ? 413 : 401
}
