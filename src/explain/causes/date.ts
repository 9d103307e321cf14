import { compareWithClock, fact, reasonFact, receiverTime, timeFacts } from '../facts.ts'
import { type ConditionalCause, causeOf, type EntriesOf, type LastCause, UNKNOWN_CAUSE } from './entry.ts'

type TimeCode = 'date-too-old' | 'date-in-future' | 'signature-created-out-of-range' | 'signature-expired'

export const STALE: LastCause<TimeCode> = {
  cause: ({ evidence, clock }) =>
    `${compareWithClock(evidence, clock)}: the request was delayed or replayed, or this clock is fast`,
  fix:
    "Run date -u on this machine: if it differs from the true time, correct this machine's clock (NTP); if not, the " +
    'request is old (or the clock of the sender is slow), and a retry needs a fresh signature.'
}

/** From 20 to 29 January 1970: today in seconds, taken for milliseconds. */
const SECONDS_AS_MILLISECONDS = { from: 19 * 86_400_000, to: 29 * 86_400_000 } as const

/** How many seconds the examples are ahead of a clock that returns seconds instead of milliseconds. */
const NOW_IN_SECONDS = 1_793_380_824

export const CLOCK_NOT_SET: ConditionalCause<'date-in-future' | 'signature-created-out-of-range'> = {
  find: ({ evidence }) => {
    const { from, to } = SECONDS_AS_MILLISECONDS
    const time = receiverTime(evidence)
    return time >= from && time < to
  },
  cause: {
    options: ({ evidence, clock }) => `${compareWithClock(evidence, clock)}: now() returns seconds, not milliseconds`,
    flags: ({ evidence, clock }) => `${compareWithClock(evidence, clock)}: that clock is not set`
  },
  fix: {
    options: 'Return milliseconds since 1970, as Date.now does.',
    flags: "Set this machine's clock (NTP)."
  },
  examples: [{ evidence: { offsetSeconds: NOW_IN_SECONDS } }]
}

export const AHEAD: LastCause<'date-in-future' | 'signature-created-out-of-range'> = {
  cause: ({ evidence, clock }) =>
    `${compareWithClock(evidence, clock)}: the sender's clock is fast, or this one is slow`,
  fix:
    "Run date -u on this machine: if it differs from the true time, correct this machine's clock (NTP); if not, have " +
    'the sender correct its clock.'
}

/** Finds how a Date differs from an HTTP-date, and writes it as one; undefined where it is no date at all. */
function flawsOf(received: string): { readonly flaws: readonly string[]; readonly example: string } | undefined {
  if (received.length > 60 || Number.isNaN(Date.parse(received))) return undefined
  const [, weekday = ''] = /^([A-Z][a-z]{2}), /.exec(received) ?? []
  const date = new Date(received.replace(/^[A-Z][a-z]{2}, /, ''))
  const example = date.toUTCString()
  const flaws = [
    [/^\d{4}-\d\d-\d\d/.test(received), 'it is ISO 8601'],
    [/ UTC$/.test(received), 'it ends in UTC instead of GMT'],
    [/ [+-]\d{4}$/.test(received), 'it ends in an offset instead of GMT'],
    [/^\d{1,2} /.test(received), 'it has no weekday'],
    [/^(?:[A-Z][a-z]{2}, )?\d [A-Z]/.test(received), 'its day has one digit'],
    [weekday !== '' && !example.startsWith(weekday), `that day is a ${example.slice(0, 3)}, and no ${weekday}`]
  ].flatMap(([isSo, flaw]) => (isSo === true ? [String(flaw)] : []))
  return flaws.length === 0 ? undefined : { flaws, example }
}

export const dateEntries = (): EntriesOf<'date'> => ({
  'date-missing': {
    about: 'There is no `Date` header. For RFC 9421: neither a covered `Date` nor `created`.',
    example: { reason: 'neither a covered Date nor created' },
    exampleNote: 'only for RFC 9421',
    facts: ({ reason }) => reasonFact(reason),
    causes: [
      {
        cause: 'a proxy or CDN dropped it, or the sender did not write it',
        fix: "Have proxies pass Date on unchanged; if the sender's log does not have it either, have the sender add it."
      }
    ]
  },
  'date-repeated': {
    about: 'There is more than one `Date` header, so it is not known which of them counts.',
    example: { received: 'Fri, 20 Nov 2026 12:00:00 GMT, Fri, 20 Nov 2026 11:59:00 GMT' },
    facts: ({ received }) => fact('received', received),
    causes: [UNKNOWN_CAUSE]
  },
  'date-malformed': {
    about:
      "`Date` is not one of the three forms of RFC 9110 section 5.6.7 (`UTC` for `GMT`, a weekday that is not that day's, " +
      'ISO 8601).',
    example: { received: 'Fri, 20 Nov 2026 12:00:00 UTC' },
    facts: ({ received }) => fact('received', received),
    causes: [
      causeOf({
        find: ({ evidence }) => flawsOf(evidence.received),
        cause: ({ found }) => `the sender writes Date in another form: ${found.flaws.join(', ')}`,
        fix: ({ found }) =>
          `Have the sender write ${found.example} (RFC 9110 section 5.6.7). If its log has that, a proxy rewrites Date.`,
        examples: [
          {},
          { evidence: { received: '2026-11-20T12:00:00Z' } },
          { evidence: { received: 'Fri, 20 Nov 2026 12:00:00 +0000' } },
          { evidence: { received: '20 Nov 2026 12:00:00 GMT' } },
          { evidence: { received: 'Fri, 6 Nov 2026 12:00:00 GMT' } },
          { evidence: { received: 'Mon, 20 Nov 2026 12:00:00 GMT' } }
        ]
      }),
      { ...UNKNOWN_CAUSE, examples: [{ evidence: { received: 'today' } }] }
    ]
  },
  'date-too-old': {
    about:
      '`Date` is further back than `dateTolerance`. It is checked with the head, and again after the body has been read.',
    also: 'Do not raise `dateTolerance` to hide a wrong clock.',
    example: { received: 'Fri, 20 Nov 2026 11:54:59 GMT', offsetSeconds: -301, toleranceSeconds: 300 },
    facts: (evidence, clock) => [...fact('received', evidence.received), ...timeFacts(evidence, clock)],
    causes: [STALE]
  },
  'date-in-future': {
    about: '`Date` is further ahead than `dateTolerance`.',
    example: { received: 'Fri, 20 Nov 2026 12:05:01 GMT', offsetSeconds: 301, toleranceSeconds: 300 },
    facts: (evidence, clock) => [...fact('received', evidence.received), ...timeFacts(evidence, clock)],
    causes: [CLOCK_NOT_SET, AHEAD]
  }
})
