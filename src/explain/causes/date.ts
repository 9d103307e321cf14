import { compareWithClock, fact, reasonFact, receiverTime, timeFacts } from '../facts.ts'
import { type Cause, type CausesOf, type ConditionalCause, type FactsOf, UNKNOWN_CAUSE } from './row.ts'

type TimeCode = 'date-too-old' | 'date-in-future' | 'signature-created-out-of-range' | 'signature-expired'

export const STALE: Cause<TimeCode> = {
  cause: ({ evidence, clock }) =>
    `${compareWithClock(evidence, clock)}: the request was delayed or replayed, or this clock is fast`,
  fix:
    "Run date -u on this machine: if it differs from the true time, correct this machine's clock (NTP); if not, the " +
    'request is old (or the clock of the sender is slow), and a retry needs a fresh signature.'
}

/** From 20 to 29 January 1970: today in seconds, taken for milliseconds. */
const SECONDS_AS_MILLISECONDS = { from: 19 * 86_400_000, to: 29 * 86_400_000 } as const

export const CLOCK_NOT_SET: ConditionalCause<'date-in-future' | 'signature-created-out-of-range'> = {
  when: ({ evidence }) => {
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
  }
}

export const AHEAD: Cause<'date-in-future' | 'signature-created-out-of-range'> = {
  cause: ({ evidence, clock }) =>
    `${compareWithClock(evidence, clock)}: the sender's clock is fast, or this one is slow`,
  fix:
    "Run date -u on this machine: if it differs from the true time, correct this machine's clock (NTP); if not, have " +
    'the sender correct its clock.'
}

export const dateFacts = (): FactsOf<'date'> => ({
  'date-missing': ({ reason }) => reasonFact(reason),
  'date-repeated': ({ received }) => fact('received', received),
  'date-malformed': ({ received }) => fact('received', received),
  'date-too-old': (evidence, clock) => [...fact('received', evidence.received), ...timeFacts(evidence, clock)],
  'date-in-future': (evidence, clock) => [...fact('received', evidence.received), ...timeFacts(evidence, clock)]
})

export const dateCauses = (): CausesOf<'date'> => ({
  'date-missing': [
    {
      cause: 'a proxy or CDN dropped it, or the sender did not write it',
      fix: "Have proxies pass Date on unchanged; if the sender's log does not have it either, have the sender add it."
    }
  ],
  'date-repeated': [UNKNOWN_CAUSE],
  'date-malformed': [UNKNOWN_CAUSE],
  'date-too-old': [STALE],
  'date-in-future': [CLOCK_NOT_SET, AHEAD]
})
