import { compareWithClock, fact, reasonFact, receiverTime, timeFacts } from '../facts.ts'
import { type ConditionalCause, type EntriesOf, type LastCause, UNKNOWN_CAUSE } from './entry.ts'

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
    causes: [UNKNOWN_CAUSE]
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
