import type { VectorJson } from '../../vector-form.ts'
import { COVERED, vector } from '../recipe.ts'
import { rejected, VERIFIED } from '../verdicts.ts'

const TOLERANCE = 'draft-cavage-http-signatures-12 section 2.1.4 and RFC 9110 section 6.6.1: the Date is recent'

/** RFC 9110 section 5.6.7 has a window that moves with the clock: 50 years ahead. */
const WINDOW =
  'Two digits are 1970 to 2069, by no clock. Where RFC 9110 would take another century, the date is far from now in ' +
  'both.'

/** A request with this Date, right in everything else: properly signed with it. */
const dated = (name: string, date: string, verdict: VectorJson['verdict'], note?: string): VectorJson =>
  vector(name, verdict, { set: { Date: date }, ...(note !== undefined && { note }) })

const malformed = (name: string, date: string, note?: string): VectorJson =>
  dated(name, date, rejected('date-malformed'), note)

export const source = 'RFC 9110 section 5.6.7'
export const vectors = [
  vector('date-missing', rejected('date-missing', 'coverage-absent'), {
    source: 'RFC 9110 section 6.6.1',
    note: 'A list that covers a Date which is not there covers nothing.',
    set: { Date: null },
    absentAs: ''
  }),
  vector('date-only-in-another-header', rejected('date-missing', 'coverage-absent'), {
    source: 'RFC 9110 section 6.6.1',
    set: { Date: null },
    add: [['X-Date', 'Fri, 20 Nov 2026 12:00:00 GMT']],
    absentAs: 'Fri, 20 Nov 2026 12:00:00 GMT'
  }),
  vector('date-repeated', rejected('date-repeated'), {
    source: 'RFC 9110 section 5.3',
    add: [['Date', 'Fri, 20 Nov 2026 11:59:00 GMT']]
  }),
  vector('date-repeated-with-the-same-value', rejected('date-repeated'), {
    source: 'RFC 9110 section 5.3',
    add: [['date', 'Fri, 20 Nov 2026 12:00:00 GMT']]
  }),

  dated('date-imf-fixdate', 'Fri, 20 Nov 2026 12:00:00 GMT', VERIFIED),
  dated('date-rfc850', 'Friday, 20-Nov-26 12:00:00 GMT', VERIFIED),
  dated('date-asctime', 'Fri Nov 20 12:00:00 2026', VERIFIED),
  ...(
    [
      ['date-asctime-one-digit-day-today', 'Fri Nov  6 12:00:00 2026', '2026-11-06T12:00:00Z'],
      ['date-leap-day-today', 'Thu, 29 Feb 2024 12:00:00 GMT', '2024-02-29T12:00:00Z'],
      ['date-leap-second-now', 'Sat, 31 Dec 2016 23:59:60 GMT', '2017-01-01T00:00:00Z'],
      ['date-rfc850-last-century-then', 'Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37Z']
    ] as const
  ).map(([name, date, now]) => vector(name, VERIFIED, { set: { Date: date }, now })),
  dated('date-with-white-space-around', ' \tFri, 20 Nov 2026 12:00:00 GMT\t ', VERIFIED),
  dated('date-asctime-one-digit-day', 'Fri Nov  6 12:00:00 2026', rejected('date-too-old')),
  dated('date-leap-day', 'Thu, 29 Feb 2024 12:00:00 GMT', rejected('date-too-old')),
  dated('date-leap-second', 'Sat, 31 Dec 2016 23:59:60 GMT', rejected('date-too-old'), 'There was one at that moment.'),
  dated(
    'date-rfc850-last-century',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    rejected('date-too-old'),
    'Two digits from 70 on are 19xx: 2094 has another weekday.'
  ),
  dated('date-rfc850-year-69', 'Wednesday, 20-Nov-69 12:00:00 GMT', rejected('date-in-future'), WINDOW),
  dated('date-rfc850-year-70', 'Friday, 20-Nov-70 12:00:00 GMT', rejected('date-too-old'), WINDOW),

  vector('date-as-old-as-allowed', VERIFIED, {
    options: { dateTolerance: 300 },
    source: TOLERANCE,
    set: { Date: 'Fri, 20 Nov 2026 11:55:00 GMT' }
  }),
  vector('date-too-old', rejected('date-too-old'), {
    options: { dateTolerance: 300 },
    source: TOLERANCE,
    set: { Date: 'Fri, 20 Nov 2026 11:54:59 GMT' }
  }),
  vector('date-as-far-ahead-as-allowed', VERIFIED, {
    options: { dateTolerance: 300 },
    source: TOLERANCE,
    set: { Date: 'Fri, 20 Nov 2026 12:05:00 GMT' }
  }),
  vector('date-in-future', rejected('date-in-future'), {
    options: { dateTolerance: 300 },
    source: TOLERANCE,
    set: { Date: 'Fri, 20 Nov 2026 12:05:01 GMT' }
  }),
  vector('date-same-day-last-year', rejected('date-too-old'), {
    source: TOLERANCE,
    set: { Date: 'Thu, 20 Nov 2025 12:00:00 GMT' }
  }),
  vector('date-same-day-next-year', rejected('date-in-future'), {
    source: TOLERANCE,
    set: { Date: 'Sat, 20 Nov 2027 12:00:00 GMT' }
  }),
  vector('date-no-tolerance', VERIFIED, {
    source: TOLERANCE,
    options: { dateTolerance: 0 }
  }),
  vector('date-no-tolerance-one-second-off', rejected('date-too-old'), {
    source: TOLERANCE,
    set: { Date: 'Fri, 20 Nov 2026 11:59:59 GMT' },
    options: { dateTolerance: 0 }
  }),
  vector('date-an-hour-tolerance', VERIFIED, {
    source: TOLERANCE,
    set: { Date: 'Fri, 20 Nov 2026 11:00:00 GMT' },
    options: { dateTolerance: 3600 }
  }),
  vector('date-fresh-but-not-signed', rejected('signature-mismatch'), {
    note: 'A new Date on an old request: the signature is over the old one.',
    source: TOLERANCE,
    set: { Date: 'Thu, 19 Nov 2026 12:00:00 GMT' },
    received: { set: { Date: 'Fri, 20 Nov 2026 12:00:00 GMT' } }
  }),
  vector('date-right-in-another-header', rejected('date-too-old'), {
    note: 'Some senders sign X-Date instead; the specification says Date.',
    source: TOLERANCE,
    set: { Date: 'Thu, 19 Nov 2026 12:00:00 GMT' },
    add: [['X-Date', 'Fri, 20 Nov 2026 12:00:00 GMT']],
    covered: `${COVERED} x-date`
  }),

  malformed('date-empty', ''),
  malformed('date-wrong-weekday', 'Thu, 20 Nov 2026 12:00:00 GMT'),
  malformed('date-rfc850-wrong-weekday', 'Thursday, 20-Nov-26 12:00:00 GMT'),
  malformed(
    'date-rfc850-year-69-weekday-of-1969',
    'Thursday, 20-Nov-69 12:00:00 GMT',
    'It is 2069, when that day is a Wednesday.'
  ),
  malformed(
    'date-rfc850-year-70-weekday-of-2070',
    'Thursday, 20-Nov-70 12:00:00 GMT',
    'It is 1970, when that day was a Friday.'
  ),
  malformed('date-asctime-wrong-weekday', 'Thu Nov 20 12:00:00 2026'),
  malformed('date-30-february', 'Mon, 30 Feb 2026 12:00:00 GMT'),
  malformed('date-29-february-of-a-common-year', 'Sun, 29 Feb 2026 12:00:00 GMT'),
  malformed('date-31-november', 'Tue, 31 Nov 2026 12:00:00 GMT'),
  malformed('date-day-zero', 'Sat, 00 Nov 2026 12:00:00 GMT'),
  malformed('date-day-32', 'Wed, 32 Nov 2026 12:00:00 GMT'),
  malformed('date-24-hours', 'Thu, 19 Nov 2026 24:00:00 GMT'),
  malformed('date-60-minutes', 'Fri, 20 Nov 2026 11:60:00 GMT'),
  malformed('date-61-seconds', 'Fri, 20 Nov 2026 23:59:61 GMT'),
  malformed(
    'date-second-60-within-the-day',
    'Fri, 20 Nov 2026 11:59:60 GMT',
    'The grammar has 60 for leap seconds; they are at the end of a day in UTC.'
  ),
  malformed('date-one-digit-day', 'Fri, 6 Nov 2026 12:00:00 GMT'),
  malformed('date-one-digit-hour', 'Fri, 20 Nov 2026 9:00:00 GMT'),
  malformed('date-asctime-one-digit-day-unpadded', 'Fri Nov 6 12:00:00 2026'),
  malformed('date-two-digit-year', 'Fri, 20 Nov 26 12:00:00 GMT'),
  malformed('date-rfc850-four-digit-year', 'Friday, 20-Nov-2026 12:00:00 GMT'),
  malformed('date-rfc850-short-weekday', 'Fri, 20-Nov-26 12:00:00 GMT'),
  malformed('date-imf-fixdate-long-weekday', 'Friday, 20 Nov 2026 12:00:00 GMT'),
  malformed('date-five-digit-year', 'Fri, 20 Nov 12026 12:00:00 GMT'),
  malformed('date-lower-case-zone', 'Fri, 20 Nov 2026 12:00:00 gmt', 'HTTP-date is case-sensitive.'),
  malformed('date-lower-case-month', 'Fri, 20 nov 2026 12:00:00 GMT', 'HTTP-date is case-sensitive.'),
  malformed('date-upper-case-weekday', 'FRI, 20 Nov 2026 12:00:00 GMT', 'HTTP-date is case-sensitive.'),
  malformed('date-utc-for-gmt', 'Fri, 20 Nov 2026 12:00:00 UTC'),
  malformed('date-numeric-zone', 'Fri, 20 Nov 2026 12:00:00 +0000'),
  malformed('date-other-zone', 'Fri, 20 Nov 2026 07:00:00 EST'),
  malformed('date-no-zone', 'Fri, 20 Nov 2026 12:00:00'),
  malformed('date-asctime-with-zone', 'Fri Nov 20 12:00:00 2026 GMT'),
  malformed('date-no-weekday', '20 Nov 2026 12:00:00 GMT'),
  malformed('date-no-seconds', 'Fri, 20 Nov 2026 12:00 GMT'),
  malformed('date-fraction', 'Fri, 20 Nov 2026 12:00:00.000 GMT'),
  malformed('date-iso-8601', '2026-11-20T12:00:00Z'),
  malformed('date-seconds-since-1970', '1795176000'),
  malformed('date-two-spaces', 'Fri,  20 Nov 2026 12:00:00 GMT'),
  malformed('date-no-break-space', 'Fri, 20 Nov 2026\xa012:00:00 GMT'),
  malformed('date-no-break-space-at-the-end', 'Fri, 20 Nov 2026 12:00:00 GMT\xa0', 'It is no white space of HTTP.'),
  malformed('date-text-after', 'Fri, 20 Nov 2026 12:00:00 GMT (Friday)'),
  malformed('date-text-before', 'on Fri, 20 Nov 2026 12:00:00 GMT'),
  malformed('date-two-in-one', 'Fri, 20 Nov 2026 12:00:00 GMT, Fri, 20 Nov 2026 12:00:00 GMT'),
  malformed('date-quoted', '"Fri, 20 Nov 2026 12:00:00 GMT"'),
  vector('date-digits-beyond-ascii', rejected('date-malformed'), {
    note: 'Only a runtime that decodes header values as something else than octets can hand these on.',
    received: { set: { Date: 'Fri, \uff12\uff10 Nov 2026 12:00:00 GMT' } }
  })
]
