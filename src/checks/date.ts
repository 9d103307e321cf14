import type { Fields } from '../headers/fields.ts'
import { parseHttpDate } from '../headers/http-date.ts'
import type { Settings } from '../options.ts'
import { fail, type Result } from '../result.ts'

/** 3. A Date exists and is recent (RFC 9110 section 6.6.1: a singleton field). */
export function checkDate(fields: Fields, now: number, { dateTolerance }: Settings): Result<Date> {
  const values = fields.get('date')
  if (values === undefined) return fail('date-missing')
  if (values.length > 1) return fail('date-repeated', { values })

  const received = values[0]!
  const date = parseHttpDate(received)
  if (!date.ok) return date

  const offsetSeconds = (date.value.getTime() - now) / 1000
  const evidence = { received, offsetSeconds, toleranceSeconds: dateTolerance }
  if (offsetSeconds < -dateTolerance) return fail('date-too-old', evidence)
  if (offsetSeconds > dateTolerance) return fail('date-in-future', evidence)
  return date
}
