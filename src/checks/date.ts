import type { Fields } from '../headers/fields.ts'
import { parseHttpDate } from '../headers/http-date.ts'
import { fail, type Result } from '../result.ts'
import type { Settings } from '../settings.ts'

/** 3. A Date exists and is recent (RFC 9110 section 6.6.1: a singleton field). */
export function checkDate(fields: Fields, now: number, { dateTolerance }: Settings): Result<Date> {
  const received = fields.values.get('date')
  if (received === undefined) return fail('date-missing')
  if (fields.repeated.has('date')) return fail('date-repeated', { received })

  const date = parseHttpDate(received)
  if (!date.ok) return date

  const offsetSeconds = (date.value.getTime() - now) / 1000
  if (Math.abs(offsetSeconds) <= dateTolerance) return date
  return fail(offsetSeconds < 0 ? 'date-too-old' : 'date-in-future', {
    received,
    offsetSeconds,
    toleranceSeconds: dateTolerance
  })
}
