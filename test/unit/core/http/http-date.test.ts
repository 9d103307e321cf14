import { expect, test } from 'vitest'
import { parseHttpDate } from '../../../../src/index.ts'

const read = (text: string): string => {
  const result = parseHttpDate(text)
  return result.ok ? result.value.toISOString() : result.code
}

// The first days of the months of 1994, the year of RFC 9110's example, cover each weekday.
const FIRST_DAYS = Object.entries({
  ...{ Jan: 'Saturday', Feb: 'Tuesday', Mar: 'Tuesday', Apr: 'Friday', May: 'Sunday', Jun: 'Wednesday' },
  ...{ Jul: 'Friday', Aug: 'Monday', Sep: 'Thursday', Oct: 'Saturday', Nov: 'Tuesday', Dec: 'Thursday' }
}).map(([month, long], index) => [month, long, `1994-${String(index + 1).padStart(2, '0')}-01`] as const)

test.each(FIRST_DAYS)('1 %s 1994, a %s, in all three forms', (month, long, day) => {
  const short = long.slice(0, 3)
  const expected = `${day}T08:49:37.000Z`
  expect(read(`${short}, 01 ${month} 1994 08:49:37 GMT`)).toBe(expected)
  expect(read(`${long}, 01-${month}-94 08:49:37 GMT`)).toBe(expected)
  expect(read(`${short} ${month}  1 08:49:37 1994`)).toBe(expected)
  expect(read(`${short} ${month} 01 08:49:37 1994`)).toBe(expected)
})

test.each([
  ['Thursday, 01-Jan-70 00:00:00 GMT', '1970-01-01T00:00:00.000Z'],
  ['Tuesday, 31-Dec-69 00:00:00 GMT', '2069-12-31T00:00:00.000Z'],
  ['Saturday, 01-Jan-00 00:00:00 GMT', '2000-01-01T00:00:00.000Z'],
  ['Friday, 31-Dec-99 23:59:59 GMT', '1999-12-31T23:59:59.000Z'],
  ['Mon, 01 Jan 0001 00:00:00 GMT', '0001-01-01T00:00:00.000Z'],
  ['Fri, 31 Dec 9999 23:59:59 GMT', '9999-12-31T23:59:59.000Z'],
  ['Tue, 29 Feb 2000 00:00:00 GMT', '2000-02-29T00:00:00.000Z'],
  ['Sat, 31 Dec 2016 23:59:60 GMT', '2017-01-01T00:00:00.000Z']
])('a date is parsed: %s is %s', (text, expected) => expect(read(text)).toBe(expected))

test.each([
  'Thu, 29 Feb 1900 00:00:00 GMT',
  'Fri, 20 Nov 2026 23:58:60 GMT',
  'Fri, 20 Nov 2026 22:59:60 GMT',
  'Fri, 20 Nov 2026 23:60:00 GMT',
  'Fri, 20 Nov 2026 24:00:00 GMT',
  'Fri Nov 00 12:00:00 2026',
  'Fri Nov   12:00:00 2026',
  ' Fri, 20 Nov 2026 12:00:00 GMT',
  'Fri, 20 Nov 2026 12:00:00 GMT '
])('rejects %j', text => {
  expect(parseHttpDate(text)).toMatchObject({ ok: false, code: 'date-malformed', evidence: { received: text } })
})

test('returns a fresh Date', () => {
  const text = 'Fri, 20 Nov 2026 12:00:00 GMT'
  const first = parseHttpDate(text)
  if (first.ok) first.value.setUTCFullYear(1970)
  expect(read(text)).toBe('2026-11-20T12:00:00.000Z')
})
