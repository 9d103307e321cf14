import { explain } from '../explain/explain.ts'
import { logRecord } from '../verdict/log-record.ts'
import type { Exchange } from './exchange.ts'

/**
 * One request for the log. In JSON one line, without anything of a request that was not verified; as text one line,
 * and of a request that was not verified what `explain` says, which escapes what is the sender's.
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
