import type { Writable } from 'node:stream'
import { explain, logRecord, type Verdict } from 'signed-requests'
import { isSignedUnderDomain } from '../../src/internal/index.ts'
import { type Exchange, isUnsigned, type Malformed, mainCodes, otherDomainOf } from './exchange.ts'
import { senderFinding } from './findings.ts'

/**
 * Writes one request for the log. JSON is one line; a request that was not verified has only claims there, in visible
 * ASCII, under names that say so. Text is one line and, for a request that was not verified and has something of a
 * signed one, the output of `explain`, which escapes the sender's text.
 */
export function logText(exchange: Exchange | Malformed, form: 'json' | 'text'): string {
  const time = new Date(exchange.receivedAt).toISOString()
  const { status: httpStatus, upstream, verdict } = exchange
  if (verdict === undefined) {
    const { reason, finding } = exchange
    return form === 'json'
      ? JSON.stringify({ time, finding, status: 'malformed', reason, httpStatus, upstream })
      : [`${time} ${httpStatus} malformed ${reason}`, finding].filter(Boolean).join('\n')
  }
  const { requestId, upstreamError, finding = senderFinding(verdict) } = exchange
  const ms = Math.round(exchange.duration)
  const { refusal, bodyLength } = exchange
  const record = {
    ...logRecord(verdict),
    // A large body is dropped as soon as the application has it.
    ...(verdict.status === 'verified' && bodyLength !== undefined && { bodyLength }),
    ...(refusal && { codes: [refusal], code: refusal })
  }
  if (form === 'json')
    return JSON.stringify({ time, requestId, finding, ...record, httpStatus, upstream, upstreamError, ms })
  const verdictWords = [record.status, ...mainCodes(verdict), refusal, originOf(verdict)]
  const upstreamWords = [upstream, upstreamError && `(${upstreamError})`]
  const words = [time, `${httpStatus}`, ...verdictWords, ...upstreamWords, `${ms} ms`, requestId]
  const line = words.filter(Boolean).join(' ')
  const found = exchange.finding === undefined ? '' : `\n${exchange.finding}`
  // Scanners send requests that have nothing of a signed one: explaining each would fill the log.
  if (isUnsigned(verdict)) return `${line}: ${senderFinding(verdict)}${found}`
  if (verdict.status === 'verified') return `${line}${found}`
  return `${line}${found}\n${explain(verdict, { settings: 'flags' })}\n`
}

/** Says who signed the request, unless its signature is under the domain. */
function originOf(verdict: Verdict): string {
  if (isSignedUnderDomain(verdict)) return ''
  return otherDomainOf(verdict) === undefined ? '(no signature under the domain)' : '(signed under another domain)'
}

/** Limits the bytes that wait for a log reader that has stalled. */
const MAX_WAITING = 1_048_576

/**
 * Writes lines to standard output or standard error. If the log reader stalls or is gone, lines are dropped, and
 * neither memory nor the process is lost; the next line that can be written is preceded by how many were dropped.
 */
export function createLineWriter(stream: Writable, limit = MAX_WAITING): (line: string) => void {
  let dropped = 0
  stream.on('error', () => {})
  return line => {
    if (!stream.writable || stream.writableLength > limit) {
      dropped += 1
      return
    }
    if (dropped > 0) stream.write(`{"droppedLines":${dropped}}\n`)
    dropped = 0
    stream.write(`${line}\n`)
  }
}
