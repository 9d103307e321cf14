import type { Writable } from 'node:stream'
import { explain, logRecord } from 'signed-requests'
import type { Exchange, Malformed } from './exchange.ts'

/**
 * One request for the log. JSON is one line, without any text from a request that was not verified. Text is one line
 * and, for a request that was not verified, the output of `explain`, which escapes the sender's text.
 */
export function logText(exchange: Exchange | Malformed, form: 'json' | 'text'): string {
  const time = new Date(exchange.receivedAt).toISOString()
  const { status: httpStatus, upstream } = exchange
  if (exchange.verdict === undefined) {
    const { reason } = exchange
    return form === 'json'
      ? JSON.stringify({ time, status: 'malformed', reason, httpStatus, upstream })
      : `${time} ${httpStatus} malformed ${reason}`
  }
  const { verdict, requestId, upstreamError } = exchange
  const ms = Math.round(exchange.duration)
  const record = logRecord(verdict)
  const signatureUnderDomain = verdict.checks['key-name'].outcome === 'pass'
  if (form === 'json') {
    const result = { httpStatus, upstream, upstreamError, ms }
    return JSON.stringify({ time, requestId, ...record, signatureUnderDomain, ...result })
  }
  const note = signatureUnderDomain ? [] : ['(no signature under the domain)']
  const words = [
    time,
    httpStatus,
    record.status,
    ...record.codes,
    ...note,
    upstream,
    ...(upstreamError === undefined ? [] : [`(${upstreamError})`]),
    ms,
    'ms',
    requestId ?? ''
  ]
  const line = words.join(' ').trimEnd()
  return verdict.status === 'verified' ? line : `${line}\n${explain(verdict, { settings: 'flags' })}\n`
}

/** Bytes that wait for a reader that has stalled. */
const MAX_WAITING = 1_048_576

/**
 * Writes lines to standard output or standard error. A reader that has stalled or is gone costs lines, and neither
 * memory nor the process; the next line that can be written is preceded by how many were dropped.
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
