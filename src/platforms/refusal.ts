import { memoizeWeak } from '../core/memo.ts'
import { mistake } from '../core/mistakes.ts'
import type { Settings } from '../core/options/options.ts'
import { assertVerdict } from '../core/verdict/assert.ts'
import { httpStatus } from '../core/verdict/http-status.ts'
import { memoryOf } from '../core/verdict/memory.ts'
import type { Rejected, Unavailable, Verdict } from '../core/verdict/verdict.ts'

/** Seconds after which a sender may try again: long enough for a resolver, short enough for a Date to be recent. */
const RETRY_AFTER = 10

/** RFC 9110 section 15.5.2: a 401 names a challenge; the draft's section 3.1.1 names this one. */
const CHALLENGE = { 'WWW-Authenticate': 'Signature' }

/** Lists what a sender has to sign, by the standards that the receiver accepts, whatever the request says. */
export const challengeOf = /* @__PURE__ */ memoizeWeak(
  (settings: Settings): Record<string, string> =>
    Object.assign({}, CHALLENGE, ...settings.schemes.map(scheme => scheme.challenge(settings)))
)

/** Returns the headers that a refusal with this status has on every platform. */
export function refusalHeaders(
  status: number,
  challenge: Readonly<Record<string, string>> = CHALLENGE
): Record<string, string> {
  if (status === 503) return { 'Retry-After': `${RETRY_AFTER}` }
  return status === 401 ? { ...challenge } : {}
}

/** A response to a refused request. Its body is empty: the sender learns nothing but the status. */
export interface Refusal {
  status: number
  headers: Record<string, string>
}

/**
 * Makes the response to a refused request. @param chosen by `onRefused`: a number from 400 to 599 replaces the status
 */
export function refusalOf(verdict: Rejected | Unavailable, from: string, chosen?: unknown): Refusal {
  assertVerdict(from, verdict)
  if ((verdict as Verdict).status === 'verified')
    throw mistake(`${from}() got`, verdict, 'pass the verdict of a refused request', () => 'a verdict that is verified')
  const status = isErrorStatus(chosen) ? chosen : httpStatus(verdict)
  // Only the very verdict of `verify` knows what has to be signed; without it, the challenge has no more than its name.
  const memory = memoryOf(verdict)
  return { status, headers: refusalHeaders(status, memory && challengeOf(memory.settings)) }
}

const isErrorStatus = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599
