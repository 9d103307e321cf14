import type { Settings } from '../options/options.ts'
import type { StatedTime } from '../scheme.ts'
import { fail, ok, type Result } from '../verdict/result.ts'
import type { NotRun } from '../verdict/verdict.ts'

/** 3. A Date exists and is recent (RFC 9110 section 6.6.1). */
export function checkDate(
  stated: Result<StatedTime> | NotRun,
  now: number,
  { dateTolerance }: Settings
): Result<Date> | NotRun {
  if (!stated.ok) return stated
  const { time, header: received } = stated.value
  if (received === undefined) return ok(time)
  const offsetSeconds = (time.getTime() - now) / 1000
  if (Math.abs(offsetSeconds) <= dateTolerance) return ok(time)
  return fail(offsetSeconds < 0 ? 'date-too-old' : 'date-in-future', {
    received,
    offsetSeconds,
    toleranceSeconds: dateTolerance
  })
}
