import { compareWithClock, fact, reasonFact, receiverTime, timeFacts } from '../facts.ts'
import { type ConditionalCause, causeOf, type EntriesOf, type LastCause, RENAMED } from './entry.ts'

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

/** Counts the seconds by which the examples are ahead of a clock that returns seconds instead of milliseconds. */
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

/** Writes a Date in the form that is expected; undefined where it is no date. Without a zone it is taken for GMT. */
function asHttpDate(received: string): string | undefined {
  if (received.length > 100) return undefined
  const seconds = /^\d{9,10}(?:\.\d{1,9})?$/.test(received)
  if (seconds || /^\d{12,13}$/.test(received)) return new Date(Number(received) * (seconds ? 1000 : 1)).toUTCString()
  // The weekday may be wrong, and the name of a zone may follow in brackets.
  const text = received.replace(/^[A-Za-z]+,? (?=\d)/, '').replace(/ \(.*$/, '')
  const hasZone = /GMT|UTC|Z$|[+-]\d\d:?\d\d\b(?!-)/.test(text)
  const date = new Date(hasZone ? text : `${text} GMT`)
  return Number.isNaN(date.getTime()) ? undefined : date.toUTCString()
}

/** Any zone is a number of these from GMT (seconds), and a request takes some seconds. */
const ZONE = { step: 1800, slack: 30, max: 14 * 3600 } as const

/** Finds a Date that is a whole number of half hours from now, as local time is that is sent as GMT. */
const isLocalTime = ({ offsetSeconds }: { readonly offsetSeconds: number }): boolean => {
  const offset = Math.abs(offsetSeconds)
  const steps = Math.round(offset / ZONE.step)
  return steps > 0 && offset <= ZONE.max + ZONE.slack && Math.abs(offset - steps * ZONE.step) <= ZONE.slack
}

const DELAYED = 'the request was delayed or replayed, or this clock is fast'
const FAST = "the sender's clock is fast, or this one is slow"

const LOCAL_TIME: ConditionalCause<'date-too-old' | 'date-in-future'> = {
  find: ({ evidence }) => isLocalTime(evidence),
  cause: ({ evidence, clock }) =>
    `${compareWithClock(evidence, clock)}, like a time zone: the sender may write its local time as GMT, or a ` +
    `12-hour time; otherwise ${evidence.offsetSeconds < 0 ? DELAYED : FAST}`,
  fix:
    'Have the sender write Date in UTC (Python: email.utils.formatdate(usegmt=True); PHP: gmdate; Go: ' +
    'time.Now().UTC() with http.TimeFormat). Compare both clocks with date -u.',
  examples: [{ evidence: { offsetSeconds: -7200 } }]
}

const IN_SECONDS: ConditionalCause<'date-too-old'> = {
  find: ({ evidence }) => /^\w{3}, \d\d Jan 1970 /.test(evidence.received),
  cause: 'the sender uses seconds since 1970 as milliseconds',
  fix: 'Have the sender pass milliseconds to its date function, or use the function for seconds.',
  examples: [{ evidence: { received: 'Wed, 21 Jan 1970 18:39:36 GMT' } }]
}

export const dateEntries = (): EntriesOf<'date'> => ({
  'date-missing': {
    about: 'There is no `Date` header. For RFC 9421: neither a covered `Date` nor `created`.',
    example: { reason: 'neither a covered Date nor created' },
    exampleNote:
      '`reason` is only for RFC 9421; `renamed` is the header in which API Gateway has it, `similar` one such as ' +
      'X-Date',
    facts: ({ reason, renamed, similar }) => [...reasonFact(reason), ...fact('received', renamed ?? similar)],
    causes: [
      {
        find: ({ evidence }) => evidence?.renamed !== undefined,
        ...RENAMED,
        examples: [{ evidence: { reason: undefined, renamed: ['X-Amzn-Remapped-Date'] } }]
      },
      {
        find: ({ evidence }) => evidence?.similar !== undefined,
        cause: ({ shown }) => `the sender writes the time in ${shown?.similar}, and Date is expected`,
        fix:
          'Have the sender write and sign Date. A browser, and fetch() in one, does not let a script set Date: send ' +
          'from a server.',
        examples: [{ evidence: { reason: undefined, similar: 'X-Date' } }]
      },
      {
        find: ({ evidence }) => evidence?.reason !== undefined,
        cause: 'the sender signs no time: neither created nor Date',
        fix: 'Have the sender add ;created= to Signature-Input, in seconds since 1970 (RFC 9421 section 2.3).'
      },
      {
        find: ({ isSigned }) => isSigned,
        cause: 'a proxy or CDN dropped this signed header',
        fix: 'Have proxies pass Date on unchanged.',
        examples: [{ evidence: 'none', isSigned: true }]
      },
      {
        cause: 'the sender does not write Date, or a proxy or CDN dropped it',
        fix: 'Have the sender add Date, and sign it; if its log has it, have proxies pass it on unchanged.',
        examples: [{ evidence: 'none' }]
      }
    ]
  },
  'date-repeated': {
    about: 'There is more than one `Date` header, and parsers may disagree about which counts.',
    example: { received: 'Fri, 20 Nov 2026 12:00:00 GMT, Fri, 20 Nov 2026 11:59:00 GMT' },
    facts: ({ received }) => fact('received', received),
    causes: [
      {
        cause: 'the sender sets Date, and its HTTP client adds one; or a proxy adds it',
        fix: 'Have the sender write Date once, the one that it signs. If its log has one, a proxy adds the other.'
      }
    ]
  },
  'date-malformed': {
    about:
      '`Date` is not one of the three forms of RFC 9110 section 5.6.7. `reason` says what it has instead: ISO 8601, ' +
      "UTC or an offset for GMT, a day of one digit, a weekday that is not that day's.",
    example: { received: '2026-11-20T12:00:00Z', reason: 'it is ISO 8601' },
    facts: ({ received, reason }) => [...fact('received', received), ...reasonFact(reason)],
    causes: [
      causeOf({
        find: ({ evidence }) => asHttpDate(evidence.received),
        cause: ({ shown }) => `the sender writes Date in another form: ${shown.reason}`,
        fix: ({ found }) =>
          `Have the sender write ${found} (RFC 9110 section 5.6.7). If its log has that, a proxy rewrites Date.`,
        examples: [{}]
      }),
      {
        cause: ({ shown }) => `the sender writes Date in another form or language: ${shown.reason}`,
        fix:
          'Have the sender write it like Sun, 06 Nov 1994 08:49:37 GMT (RFC 9110 section 5.6.7). If its log has ' +
          'that, a proxy rewrites Date.',
        examples: [{ evidence: { received: 'today', reason: 'it is not of the form of an HTTP-date' } }]
      }
    ]
  },
  'date-too-old': {
    about:
      '`Date` is older than `dateTolerance` allows. It is checked with the head, and again after the body has been ' +
      'read.',
    also: 'Do not raise `dateTolerance` to hide a wrong clock.',
    example: { received: 'Fri, 20 Nov 2026 11:54:59 GMT', offsetSeconds: -301, toleranceSeconds: 300 },
    facts: (evidence, clock) => [...fact('received', evidence.received), ...timeFacts(evidence, clock)],
    causes: [IN_SECONDS, LOCAL_TIME, STALE]
  },
  'date-in-future': {
    about: '`Date` is further in the future than `dateTolerance` allows.',
    example: { received: 'Fri, 20 Nov 2026 12:05:01 GMT', offsetSeconds: 301, toleranceSeconds: 300 },
    facts: (evidence, clock) => [...fact('received', evidence.received), ...timeFacts(evidence, clock)],
    causes: [CLOCK_NOT_SET, LOCAL_TIME, AHEAD]
  }
})
