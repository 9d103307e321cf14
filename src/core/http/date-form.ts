/** Recognizes a Date in another form than RFC 9110 section 5.6.7 demands. */
const FORMS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^\d{9,10}(?:\.\d{1,9})?$/, 'it is seconds since 1970'],
  [/^\d{12,13}$/, 'it is milliseconds since 1970'],
  [/^\d{4}-\d\d-\d\d/, 'it is ISO 8601'],
  [/^Invalid Date$/, 'it is the text "Invalid Date", which JavaScript writes for a Date without a time'],
  [/ UTC\b/, 'it has UTC instead of GMT'],
  [/:\d\d (?!GMT|UTC)[A-Z]{3,5}$/, 'it has another time zone than GMT'],
  [/^(?!(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b)[^\d\s,]{1,12},? \d\d? \S+ \d{4} /, 'its names are not the English ones'],
  [/ (?:GMT)?[+-]\d\d:?\d\d\b/, 'it has an offset instead of GMT'],
  [/ \d\d:\d\d(?::\d\d)?$/, 'it has no GMT at the end'],
  [/^\d{1,2} /, 'it has no weekday'],
  [/^(?:[A-Z][a-z]{2}, )?\d [A-Z]/, 'its day has one digit'],
  [/ \d:\d\d/, 'its hour has one digit']
]

const FIXDATE = /^([A-Z][a-z]{2}), (\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/

/** A longer value is not looked at. */
const MAX_LENGTH = 100

/** Says in which form a Date is that is not an HTTP-date. */
export function dateFormOf(value: string): string {
  if (value.length > MAX_LENGTH) return OTHER
  const reasons = FORMS.flatMap(([pattern, reason]) => (pattern.test(value) ? [reason] : []))
  const [, weekday, rest = ''] = FIXDATE.exec(value) ?? []
  const date = new Date(rest).toUTCString()
  if (date.endsWith(rest) && rest !== '' && !date.startsWith(`${weekday},`)) reasons.push(WRONG_WEEKDAY)
  return reasons.slice(0, 3).join(', ') || OTHER
}

const OTHER = 'it is not of the form of an HTTP-date'
const WRONG_WEEKDAY = 'its weekday is not that of the date'
