import type { Code } from '../result/codes.ts'
import { assertVerdict } from './assert.ts'
import { mainFailure } from './main-failure.ts'
import { type Memory, memoryOf } from './memory.ts'
import type { Verdict } from './verdict.ts'

/**
 * The data to log about a verdict. Every key is always present; an unknown value is undefined, which JSON leaves out.
 * Claims of a request that is not verified are under names that say so, in visible ASCII, and cut.
 */
export interface LogRecord {
  status: Verdict['status']
  /** the codes of the failures, in the order of the checks; empty when verified */
  codes: readonly Code[]
  /** the code of `mainFailure`, which the others follow from; undefined when verified */
  code: Code | undefined
  /** whether it is signed with a key under the service's domain: a claim until the signature has verified */
  signedUnderDomain: boolean
  /** visible ASCII without a comma, at most 255 characters */
  accountId: string | undefined
  /** a DNS name in lower case, at most 253 characters */
  keyId: string | undefined
  algorithm: string | undefined
  /** the time of the request, ISO 8601 in UTC */
  date: string | undefined
  /** base64 */
  replayId: string | undefined
  /** in bytes */
  bodyLength: number | undefined
  /** the key, the account and the Host that a request claims that is not verified: anyone can write them */
  claimedKeyId: string | undefined
  claimedAccountId: string | undefined
  claimedHost: string | undefined
}

/**
 * Makes one flat object for a log line, without body and signing string. For a request that is not verified it has what
 * the request claims: key, account and host, safe to print. Pass the verdict that `verify` returned: a copy, such as
 * `structuredClone(verdict)`, has no claims.
 *
 * @example
 * logger.info(logRecord(verdict), 'signed request')
 *
 * @throws TypeError for anything but a verdict, such as a Promise that was not awaited
 */
export function logRecord(verdict: Verdict): LogRecord {
  assertVerdict('logRecord', verdict)
  const verified = verdict.status === 'verified' ? verdict : undefined
  const claimed = verified === undefined ? memoryOf(verdict) : undefined
  return {
    status: verdict.status,
    codes: verdict.failures.map(({ code }) => code),
    code: mainFailure(verdict)?.code,
    signedUnderDomain: isSignedUnderDomain(verdict),
    accountId: verified?.accountId,
    keyId: verified?.keyId,
    algorithm: verified?.algorithm,
    date: verified?.date.toISOString(),
    replayId: verified?.replayId,
    bodyLength: verified?.body.length,
    claimedKeyId: visibleText(claimed?.keyId),
    claimedAccountId: visibleText(claimed && claimedAccount(claimed)),
    claimedHost: visibleText(claimed?.host)
  }
}

/** Returns whether a verdict is about a request that is signed with a key under the service's domain. */
export const isSignedUnderDomain = ({ checks }: Verdict): boolean => checks['key-name'].outcome === 'pass'

/** Returns the account that a request claims, without the prefix if it has that. */
const claimedAccount = ({ account, settings: { accountPrefix } }: Memory): string | undefined =>
  account?.startsWith(accountPrefix) ? account.slice(accountPrefix.length) : account

/** Makes a claim safe for a log: cut, and with a question mark for each character that is not visible ASCII. */
export const visibleText = (text = ''): string | undefined => text.slice(0, 255).replace(/[^!-~]/g, '?') || undefined
