import { memoizeRecent } from '../memo.ts'
import { fail, ok, type Result } from '../result/result.ts'
import { remappedNames } from './cdn.ts'
import { dateFormOf } from './date-form.ts'
import type { Fields } from './fields.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** RFC 9110 section 5.6.7: the three forms of HTTP-date, case-sensitive, the most common first. */
const FORMS = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  /^(?<weekday>\w{3}), (?<day>\d\d) (?<month>\w{3}) (?<year>\d{4}) (?<time>[\d:]{8}) GMT$/,
  // Sunday, 06-Nov-94 08:49:37 GMT
  /* @__PURE__ */ new RegExp(
    '^(?<weekday>Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day, ' +
      '(?<day>\\d\\d)-(?<month>\\w{3})-(?<year>\\d\\d) (?<time>[\\d:]{8}) GMT$'
  ),
  // Sun Nov  6 08:49:37 1994
  /^(?<weekday>\w{3}) (?<month>\w{3}) (?<day>[\d ]\d) (?<time>[\d:]{8}) (?<year>\d{4})$/
]

/**
 * Parses an HTTP-date: IMF-fixdate, rfc850-date or asctime-date, and nothing else (RFC 9110 section 5.6.7). The day
 * must exist, and its weekday must be right. A two-digit year means 1970 to 2069. 23:59:60 is a leap second. Never
 * throws.
 *
 * Fails with `date-malformed`.
 *
 * @example
 * const date = parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT')
 * if (date.ok) date.value.toISOString() // '1994-11-06T08:49:37.000Z'
 */
export function parseHttpDate(value: string): Result<Date> {
  const time = parseTimestamp(value)
  return time === undefined
    ? fail('date-malformed', { received: value, reason: dateFormOf(value) })
    : ok(new Date(time))
}

/** Parses the Date header, a singleton field (RFC 9110 section 6.6.1), and the time in it. */
export function parseDateHeader(fields: Fields): Result<{ time: Date; header: string }> {
  const header = fields.values.get('date')
  if (header === undefined) {
    const renamed = remappedNames(fields, ['date'])
    const similar = ['X-Date', 'X-Request-Date', 'X-Amz-Date'].find(name => fields.values.has(name.toLowerCase()))
    if (renamed.length > 0) return fail('date-missing', { renamed })
    return fail('date-missing', similar === undefined ? undefined : { similar })
  }
  if (fields.repeated.has('date')) return fail('date-repeated', { received: header })
  const date = parseHttpDate(header)
  return date.ok ? ok({ time: date.value, header }) : date
}

/** Returns milliseconds since 1970. Requests of one second share their Date: this saves 6 % of a verification. */
const parseTimestamp = /* @__PURE__ */ memoizeRecent((value: string): number | undefined => {
  for (const form of FORMS) {
    const parts = form.exec(value)?.groups
    if (parts !== undefined) return toTime(parts as DateParts)
  }
  return undefined
})

type DateParts = Record<'weekday' | 'day' | 'month' | 'year' | 'time', string>

/**
 * Returns the time of a date that exists and has the weekday it says: such a date is formatted to the same text again.
 */
function toTime({ weekday, day, month, year, time }: DateParts): number | undefined {
  const century = year < '70' ? '20' : '19'
  const fullYear = year.length === 4 ? year : century + year
  const twoDigits = day.replace(' ', '0')
  const isLeapSecond = time === '23:59:60'
  const clock = isLeapSecond ? '23:59:59' : time
  const monthNumber = `${MONTHS.indexOf(month) + 1}`.padStart(2, '0')
  const date = new Date(`${fullYear}-${monthNumber}-${twoDigits}T${clock}Z`)
  const written = `${weekday.slice(0, 3)}, ${twoDigits} ${month} ${fullYear} ${clock} GMT`
  return date.toUTCString() === written ? date.getTime() + Number(isLeapSecond) * 1000 : undefined
}
