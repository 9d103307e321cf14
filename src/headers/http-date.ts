import { fail, ok, type Result } from '../result.ts'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const DAY = DAYS.map(day => day.slice(0, 3)).join('|')
const MONTH = MONTHS.join('|')
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)'

/** RFC 9110 section 5.6.7: the three forms of HTTP-date, case-sensitive, in the order of likelihood. */
const FORMS = [
  // IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT
  new RegExp(`^(?<weekday>${DAY}), (?<day>\\d\\d) (?<month>${MONTH}) (?<year>\\d{4}) ${TIME} GMT$`),
  // rfc850-date: Sunday, 06-Nov-94 08:49:37 GMT
  new RegExp(
    `^(?<weekday>${DAYS.join('|')}), (?<day>\\d\\d)-(?<month>${MONTH})-(?<year>\\d\\d) ${TIME} GMT$`
  ),
  // asctime-date: Sun Nov  6 08:49:37 1994
  new RegExp(`^(?<weekday>${DAY}) (?<month>${MONTH}) (?<day>[\\d ]\\d) ${TIME} (?<year>\\d{4})$`)
]

/**
 * Parses an HTTP-date: IMF-fixdate, rfc850-date or asctime-date, and nothing else. The day must exist and be the
 * weekday it says. A two-digit year is taken as 1970 to 2069. 23:59:60 is a leap second. Never throws.
 *
 * Fails with `date-malformed`.
 */
export function parseHttpDate(value: string): Result<Date> {
  for (const form of FORMS) {
    const match = form.exec(value)
    if (match?.groups) return toDate(match.groups as unknown as DateParts, value)
  }
  return fail('date-malformed', { received: value })
}

type DateParts = Record<'weekday' | 'day' | 'month' | 'year' | 'hour' | 'minute' | 'second', string>

function toDate(parts: DateParts, received: string): Result<Date> {
  const year = fullYear(parts.year)
  const month = MONTHS.indexOf(parts.month)
  const day = Number(parts.day)
  const hour = Number(parts.hour)
  const minute = Number(parts.minute)
  const second = Number(parts.second)

  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  const dayExists = date.getUTCMonth() === month && date.getUTCDate() === day
  const weekdayFits = DAYS[date.getUTCDay()]?.startsWith(parts.weekday) === true
  const leapSecond = hour === 23 && minute === 59 && second === 60
  const timeExists = hour < 24 && minute < 60 && (second < 60 || leapSecond)
  if (!dayExists || !weekdayFits || !timeExists) return fail('date-malformed', { received })

  date.setUTCHours(hour, minute, second)
  return ok(date)
}

const fullYear = (text: string): number => {
  const year = Number(text)
  if (text.length === 4) return year
  return year < 70 ? 2000 + year : 1900 + year
}
