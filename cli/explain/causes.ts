import {
  type AddedCauses,
  type ConditionalCause,
  compareWithClock,
  duration,
  type Known,
  THIS_CLOCK
} from '../../src/internal/index.ts'

/** The clock that a capture is judged by. */
export type Clock = 'machine' | 'flag' | 'capture' | 'fixture'

/** Names each clock in a text. */
export const CLOCKS: Readonly<Record<Clock, string>> = {
  machine: THIS_CLOCK,
  flag: 'the time of --now',
  capture: "the capture's own time",
  fixture: "the receiver's clock"
}

type Time = Known<TimeCode>
type TimeCode = 'date-too-old' | 'date-in-future' | 'signature-created-out-of-range' | 'signature-expired'

/** All but the date can be checked without knowing the time. */
const UNDATED = 'to check all but the date: --now date'

const isPast = ({ evidence }: Time): boolean => evidence.offsetSeconds < 0

/** Makes a row whose cause begins with how the two times differ. */
const compared = (find: (known: Time) => boolean, why: string, fix: string): ConditionalCause<TimeCode> => ({
  find,
  cause: ({ evidence, clock }) => `${compareWithClock(evidence, clock)}: ${why}`,
  fix
})

/** Causes for a known time of arrival: no clock of this machine is at fault. */
const ARRIVED_LATE = [
  isPast,
  "the request was delayed, or it is a retry with its old signature, or the sender's clock is slow",
  'Look for a queue in between; have the sender sign each retry afresh, and correct its clock (NTP)'
] as const

const isAhead = (known: Time): boolean => !isPast(known)

/** Lists the causes of a time that is out of range in a capture, by the clock that it is compared with. */
function timeCauses(clock: Clock): readonly ConditionalCause<TimeCode>[] {
  const [find, why, fix] = ARRIVED_LATE
  switch (clock) {
    case 'machine':
      return [
        {
          find: isPast,
          cause: ({ evidence, clock }) =>
            `the capture is ${duration(-evidence.offsetSeconds)} old, or ${clock} ` +
            `(${new Date().toUTCString()}) is fast by as much`,
          fix: `Compare the clock with: date -u; ${UNDATED}.`
        }
      ]
    case 'flag':
      return [
        compared(find, why, `${fix}.`),
        compared(
          isAhead,
          "the sender's clock is fast, or the request arrived later than that",
          'Compare that time with the log of the receiver; have the sender correct its clock (NTP).'
        )
      ]
    case 'capture':
      return [
        compared(find, why, `${fix}; ${UNDATED}.`),
        compared(
          isAhead,
          "the sender's clock is fast, or that of the program which captured it is slow",
          `Have the sender correct its clock (NTP); ${UNDATED}.`
        )
      ]
    // The clock of this machine says nothing about that of the receiver, at that time.
    case 'fixture':
      return [
        compared(find, `${why}, or the receiver's was fast`, `${fix}; on the receiver, compare: date -u.`),
        compared(
          isAhead,
          "the sender's clock was fast, or the receiver's was slow",
          'On the receiver, compare: date -u; if its clock is right, have the sender correct its own (NTP).'
        )
      ]
  }
}

/** Explains line breaks that nobody sent: a terminal wraps lines, and they are copied so. */
const WRAPPED: ConditionalCause<'request-malformed'> = {
  find: ({ evidence }) => evidence.part === 'header-name',
  cause: ({ shown: { name = '' } }) =>
    `a line of the capture was wrapped when it was copied (${name} is not the name of a header), or it is a broken ` +
    'sender, or an attack',
  fix: 'Save the capture to a file: a terminal shows other lines.'
}

/** Explains a missing body: the program that made the capture may have left it out, or have read it before. */
const BODYLESS: ConditionalCause<'digest-mismatch'> = {
  find: ({ evidence }) => evidence.bodyLength === 0 && evidence.contentLength !== 0,
  cause:
    'the capture has no body, but the request had one when it was signed: the program that captured it ' +
    'left it out',
  fix: 'Capture the body too, as it is received; if the capture is right, something in front of it dropped the body.'
}

/** Lists the causes that only a capture has. */
export function captureCauses(clock: Clock): AddedCauses {
  const rows = timeCauses(clock)
  return {
    'request-malformed': [WRAPPED],
    'digest-mismatch': [BODYLESS],
    'date-too-old': rows,
    'date-in-future': rows,
    'signature-created-out-of-range': rows,
    'signature-expired': rows
  }
}
