import type { Code } from '../result/codes.ts'
import { assertVerdict } from './assert.ts'
import type { Verdict } from './verdict.ts'

/**
 * What to log about a verdict. Every key is always present; what is not known is undefined, which JSON leaves out. Only
 * a verified request has more than `status` and `codes`: what an unverified request claims stays out of the log.
 */
export interface LogRecord {
  status: Verdict['status']
  /** the codes of the failures, in the order of the checks; empty when verified */
  codes: readonly Code[]
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
}

/**
 * One flat object for a log line: no body, no signing string, no text from an unverified request.
 *
 * @example
 * logger.info(logRecord(verdict), 'signed request')
 *
 * @throws TypeError for anything but a verdict, such as a Promise that was not awaited
 */
export function logRecord(verdict: Verdict): LogRecord {
  assertVerdict('logRecord', verdict)
  const verified = verdict.status === 'verified' ? verdict : undefined
  return {
    status: verdict.status,
    codes: verdict.failures.map(({ code }) => code),
    accountId: verified?.accountId,
    keyId: verified?.keyId,
    algorithm: verified?.algorithm,
    date: verified?.date.toISOString(),
    replayId: verified?.replayId,
    bodyLength: verified?.body.length
  }
}
