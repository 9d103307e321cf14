import { parseHttpDate } from '../http/http-date.ts'
import type { Evidence } from './evidence.ts'
import { duration } from './text.ts'

/** The latest time that a Date can hold, in milliseconds. */
const MAX_TIME = 8.64e15

/** As HTTP writes it, so that it can be compared with a Date header; undefined when there is no such time. */
export const httpDate = (time: number): string | undefined =>
  Math.abs(time) <= MAX_TIME ? new Date(time).toUTCString() : undefined

/** The time that this machine's clock showed: the received time, less its offset from now. */
export function receiverClock({ received, created, expires, offsetSeconds }: Evidence): string | undefined {
  if (offsetSeconds === undefined) return undefined
  const seconds = created ?? expires
  const date = seconds === undefined ? parseHttpDate(String(received)) : undefined
  const stated =
    seconds === undefined ? (date?.ok ? date.value.getTime() : Number.NaN) : Number(seconds) * 1000
  return httpDate(stated - Number(offsetSeconds) * 1000)
}

/** Which way two clocks differ, and by how much: `Date is 8 minutes ahead of this machine's clock`. */
export function compareWithClock(what: string, evidence: Evidence): string {
  const offset = Number(evidence['offsetSeconds'])
  const clock = receiverClock(evidence)
  const way = offset < 0 ? 'behind' : 'ahead of'
  const now = clock === undefined ? '' : ` (${clock})`
  return `${what} is ${duration(Math.abs(offset))} ${way} this machine's clock${now}`
}
