import { fail, ok, type Result } from '../result.ts'
import { rememberLast } from './remember.ts'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const DAY = DAYS.map(day => day.slice(0, 3)).join('|')
const MONTH = MONTHS.join('|')
const TIME = '(\\d\\d):(\\d\\d):(\\d\\d)'

/** RFC 9110 section 5.6.7: the three forms of HTTP-date, case-sensitive. */
// Sun, 06 Nov 1994 08:49:37 GMT
const IMF_FIXDATE = new RegExp(`^(${DAY}), (\\d\\d) (${MONTH}) (\\d{4}) ${TIME} GMT$`)
// Sunday, 06-Nov-94 08:49:37 GMT
const RFC850_DATE = new RegExp(`^(${DAYS.join('|')}), (\\d\\d)-(${MONTH})-(\\d\\d) ${TIME} GMT$`)
// Sun Nov  6 08:49:37 1994
const ASCTIME_DATE = new RegExp(`^(${DAY}) (${MONTH}) ([\\d ]\\d) ${TIME} (\\d{4})$`)

type Match = [whole: string, string, string, string, string, string, string, string]

/**
 * Parses an HTTP-date: IMF-fixdate, rfc850-date or asctime-date, and nothing else. The day must exist and be the
 * weekday it says. A two-digit year is taken as 1970 to 2069. 23:59:60 is a leap second. Never throws.
 *
 * Fails with `date-malformed`.
 */
export function parseHttpDate(value: string): Result<Date> {
  const time = readTime(value)
  return time === undefined ? fail('date-malformed', { received: value }) : ok(new Date(time))
}

/** Milliseconds since 1970. */
const readTime = rememberLast((value: string): number | undefined => {
  const fixdate = (IMF_FIXDATE.exec(value) ?? RFC850_DATE.exec(value)) as Match | null
  if (fixdate !== null) {
    const [, weekday, day, month, year, hour, minute, second] = fixdate
    return toTime(
      weekday,
      fullYear(year),
      MONTHS.indexOf(month),
      Number(day),
      Number(hour),
      Number(minute),
      Number(second)
    )
  }
  const asctime = ASCTIME_DATE.exec(value) as Match | null
  if (asctime === null) return undefined
  const [, weekday, month, day, hour, minute, second, year] = asctime
  return toTime(
    weekday,
    fullYear(year),
    MONTHS.indexOf(month),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second)
  )
})

/** The time, when its day exists and is that weekday, and the hour, minute and second exist. */
function toTime(
  weekday: string,
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number
): number | undefined {
  const leapSecond = hour === 23 && minute === 59 && second === 60
  if (hour > 23 || minute > 59 || (second > 59 && !leapSecond)) return undefined

  // Not Date.UTC(), which takes the years 0 to 99 for 1900 to 1999.
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined
  if (!DAYS[date.getUTCDay()]!.startsWith(weekday)) return undefined
  return date.setUTCHours(hour, minute, second)
}

function fullYear(text: string): number {
  const year = Number(text)
  if (text.length === 4) return year
  return year < 70 ? 2000 + year : 1900 + year
}
