import { fail, type NotRun, ok, type Result } from '../result/result.ts'
import type { Context } from './context.ts'

/** A Date exists and is recent (RFC 9110 section 6.6.1). */
export function checkDate({ time: stated, settings, now }: Context): Result<Date> | NotRun {
  if (!stated.ok) return stated
  const { time, header: received } = stated.value
  if (received === undefined) return ok(time)
  const offsetSeconds = (time.getTime() - now) / 1000
  const { dateTolerance: toleranceSeconds } = settings
  if (Math.abs(offsetSeconds) <= toleranceSeconds) return ok(time)
  const code = offsetSeconds < 0 ? 'date-too-old' : 'date-in-future'
  return fail(code, { received, offsetSeconds, toleranceSeconds })
}
