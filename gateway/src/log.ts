import { explain } from '../../src/explain/explain.ts'
import { logRecord } from '../../src/verdict/log-record.ts'
import type { Exchange } from './exchange.ts'

/**
 * One request for the log. JSON is one line, without any text from a request that was not verified. Text is one line
 * and, for a request that was not verified, the output of `explain`, which escapes the sender's text.
 */
export function logText(
  { receivedAt, duration, verdict, status, upstream }: Exchange,
  form: 'json' | 'text'
): string {
  const time = new Date(receivedAt).toISOString()
  const ms = Math.round(duration)
  const record = logRecord(verdict)
  if (form === 'json') return JSON.stringify({ time, ...record, httpStatus: status, upstream, ms })
  const line = `${time} ${status} ${[record.status, ...record.codes].join(' ')} ${upstream} ${ms} ms`
  return verdict.status === 'verified' ? line : `${line}\n${explain(verdict)}\n`
}
