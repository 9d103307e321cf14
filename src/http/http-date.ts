import { memoizeRecent } from '../memo.ts'
import { fail, ok, type Result } from '../verdict/result.ts'
import type { Fields } from './fields.ts'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const DAY = DAYS.map(day => day.slice(0, 3)).join('|')
const MONTH = MONTHS.join('|')
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)'

/** RFC 9110 section 5.6.7: the three forms of HTTP-date, case-sensitive, the most common first. */
const FORMS = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  new RegExp(`^(?<weekday>${DAY}), (?<day>\\d\\d) (?<month>${MONTH}) (?<year>\\d{4}) ${TIME} GMT$`),
  // Sunday, 06-Nov-94 08:49:37 GMT
  new RegExp(
    `^(?<weekday>${DAYS.join('|')}), (?<day>\\d\\d)-(?<month>${MONTH})-(?<year>\\d\\d) ${TIME} GMT$`
  ),
  // Sun Nov  6 08:49:37 1994
  new RegExp(`^(?<weekday>${DAY}) (?<month>${MONTH}) (?<day>[\\d ]\\d) ${TIME} (?<year>\\d{4})$`)
]

/**
 * Parses an HTTP-date: IMF-fixdate, rfc850-date or asctime-date, and nothing else. The day must exist and be the
 * weekday it says. A two-digit year is taken as 1970 to 2069. 23:59:60 is a leap second. Never throws.
 *
 * Fails with `date-malformed`.
 *
 * @example
 * const date = parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT')
 * if (date.ok) date.value.toISOString() // '1994-11-06T08:49:37.000Z'
 */
export function parseHttpDate(value: string): Result<Date> {
  const time = parseTimestamp(value)
  return time === undefined ? fail('date-malformed', { received: value }) : ok(new Date(time))
}

/** The Date header, a singleton field (RFC 9110 section 6.6.1), and the time in it. */
export function parseDateHeader(fields: Fields): Result<{ time: Date; header: string }> {
  const header = fields.values.get('date')
  if (header === undefined) return fail('date-missing')
  if (fields.repeated.has('date')) return fail('date-repeated', { received: header })
  const date = parseHttpDate(header)
  return date.ok ? ok({ time: date.value, header }) : date
}

/** Milliseconds since 1970. Requests of one second share their Date: saves 3 % of a verification. */
const parseTimestamp = memoizeRecent((value: string): number | undefined => {
  for (const form of FORMS) {
    const parts = form.exec(value)?.groups
    if (parts !== undefined) return toTime(parts as DateParts)
  }
  return undefined
})

type DateParts = Record<'weekday' | 'day' | 'month' | 'year' | 'hour' | 'minute' | 'second', string>

/** The time, when its day exists and is that weekday, and the hour, minute and second exist. */
function toTime(parts: DateParts): number | undefined {
  const [year, month, day] = [fullYear(parts.year), MONTHS.indexOf(parts.month), Number(parts.day)]
  const [hour, minute, second] = [Number(parts.hour), Number(parts.minute), Number(parts.second)]

  const leapSecond = hour === 23 && minute === 59 && second === 60
  if (hour > 23 || minute > 59 || (second > 59 && !leapSecond)) return undefined

  // Not Date.UTC(), which takes the years 0 to 99 for 1900 to 1999.
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  // A day that does not exist becomes one of another month.
  if (date.getUTCMonth() !== month) return undefined
  if (!DAYS[date.getUTCDay()]!.startsWith(parts.weekday)) return undefined
  return date.setUTCHours(hour, minute, second)
}

const fullYear = (text: string): number =>
  Number(text.length === 2 ? `${text < '70' ? 20 : 19}${text}` : text)
