import type { Writable } from 'node:stream'
import { type LogRecord, logRecord, type Verdict } from 'signed-requests'
import { isSignedUnderDomain } from '../../src/internal/index.ts'
import { type Exchange, isUnsigned, type Malformed, mainCodes, otherDomainOf } from './exchange.ts'
import { senderFinding } from './findings.ts'

/** Adds to a line what is not about its own request. */
interface Additions {
  /** lines of refusals with the same code that were left out since the last one */
  readonly leftOut?: number
  /** the likely cause of a refusal and its fix, in JSON */
  readonly cause?: string
  readonly fix?: string
}

/**
 * Writes one request for the log. JSON is one line; a request that was not verified has only claims there, in visible
 * ASCII, under names that say so. Text is one line, and a second one for a finding.
 */
export function logText(exchange: Exchange | Malformed, form: 'json' | 'text', additions: Additions = {}): string {
  return form === 'json' ? jsonLine(exchange, additions) : textLines(exchange, additions)
}

function jsonLine(exchange: Exchange | Malformed, { leftOut, cause, fix }: Additions): string {
  const time = new Date(exchange.receivedAt).toISOString()
  const { status: httpStatus, upstream, verdict } = exchange
  if (verdict === undefined) {
    const { reason, finding } = exchange
    return JSON.stringify({ time, finding, status: 'malformed', reason, httpStatus, upstream, leftOut })
  }
  const { requestId, upstreamError, madeByKey, storeError, refusal, finding = senderFinding(verdict) } = exchange
  const ms = Math.round(exchange.duration)
  const record = logRecord(verdict)
  // Written out, because spreading the record takes twice as long as all else.
  return JSON.stringify({
    time,
    requestId,
    finding,
    status: statusOf(exchange),
    codes: refusal === undefined ? record.codes : [refusal],
    code: refusal ?? record.code,
    signedUnderDomain: record.signedUnderDomain,
    accountId: record.accountId,
    keyId: record.keyId,
    algorithm: record.algorithm,
    date: record.date,
    replayId: record.replayId,
    // A large body is dropped as soon as the application has it.
    bodyLength: (verdict.status === 'verified' && exchange.bodyLength) || record.bodyLength,
    claimedKeyId: record.claimedKeyId,
    claimedAccountId: record.claimedAccountId,
    claimedHost: record.claimedHost,
    madeByKey,
    storeError,
    httpStatus,
    upstream,
    upstreamError,
    ms,
    cause,
    fix,
    leftOut
  } satisfies Record<keyof LogRecord, unknown> & Record<string, unknown>)
}

/** Returns the status for a line. A request that `authorize` refuses is not verified for its sender. */
const statusOf = ({ verdict, refusal }: Exchange) => (refusal === undefined ? verdict.status : 'rejected')

function textLines(exchange: Exchange | Malformed, { leftOut }: Additions): string {
  const time = new Date(exchange.receivedAt).toISOString()
  const { status: httpStatus, upstream, verdict, finding } = exchange
  const more = leftOut && `(${leftOut} more were left out)`
  if (verdict === undefined)
    return linesOf([time, httpStatus, 'malformed', exchange.reason, more].filter(Boolean).join(' '), finding)
  const { requestId, upstreamError, refusal, storeError } = exchange
  const judged = [statusOf(exchange), ...mainCodes(verdict), refusal, storeError && `(${storeError})`]
  const answered = [upstream, upstreamError && `(${upstreamError})`, `${Math.round(exchange.duration)} ms`, requestId]
  const words = [time, httpStatus, ...judged, originOf(verdict), ...answered, more]
  return linesOf(words.filter(Boolean).join(' ') + (isUnsigned(verdict) ? `: ${senderFinding(verdict)}` : ''), finding)
}

const linesOf = (...lines: readonly (string | undefined)[]): string => lines.filter(Boolean).join('\n')

/** Says who signed the request, unless its signature is under the domain. */
function originOf(verdict: Verdict): string {
  if (isSignedUnderDomain(verdict)) return ''
  return otherDomainOf(verdict) === undefined ? '(no signature under the domain)' : '(signed under another domain)'
}

/** Limits the bytes that wait for a log reader that has stalled. */
const MAX_WAITING = 1_048_576

/**
 * Writes lines to standard output or standard error, those of a turn of the event loop in one write. If the log reader
 * stalls or is gone, lines are dropped, and neither memory nor the process is lost; the next line that can be written
 * is preceded by how many were dropped.
 */
export function createLineWriter(stream: Writable, limit = MAX_WAITING) {
  let dropped = 0
  let lines = ''
  stream.on('error', () => {})

  /** Writes what is left of this turn: to be called before the process ends. */
  function flush(): void {
    if (lines !== '') stream.write(lines)
    lines = ''
  }

  function print(line: string): void {
    if (!stream.writable || stream.writableLength + lines.length > limit) {
      dropped += 1
      return
    }
    if (lines === '') setImmediate(flush)
    if (dropped > 0) lines += `{"droppedLines":${dropped}}\n`
    dropped = 0
    lines += `${line}\n`
  }

  return { print, flush }
}
