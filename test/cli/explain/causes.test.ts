import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { CLOCKS, type Clock, captureCauses } from '../../../cli/explain/causes.ts'

const NOON = Date.UTC(2026, 10, 20, 12)

beforeEach(() => void vi.useFakeTimers({ now: NOON, toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

/** Returns the facts about a Date that is this many seconds from the clock. */
const knownOf = (offsetSeconds: number, clock: Clock) => ({
  evidence: { received: '', offsetSeconds, toleranceSeconds: 300, receiverTime: new Date(NOON) },
  clock: CLOCKS[clock],
  shown: {}
})

/** Returns the cause and the fix that a capture adds for such a Date. */
function added(offsetSeconds: number, clock: Clock) {
  const known = knownOf(offsetSeconds, clock) as never
  const causes = captureCauses(clock)['date-too-old']!
  return causes
    .filter(({ find }) => find(known))
    .map(({ cause, fix }) => [typeof cause === 'function' ? cause(known) : cause, fix])
}

describe('the cause of a Date that is out of range in a capture', () => {
  test('by the clock of this machine: the capture is old, or the clock is fast', () => {
    expect(added(-600, 'machine')).toEqual([
      [
        "the capture is 10 minutes old, or this machine's clock (Fri, 20 Nov 2026 12:00:00 GMT) is fast by as much",
        'Compare the clock with: date -u; to check all but the date: --now date.'
      ]
    ])
    expect(added(600, 'machine')).toEqual([])
  })

  test('by the time of --now: the request came late, or its sender is fast', () => {
    expect(added(-600, 'flag')).toEqual([
      [
        expect.stringMatching(
          /^Date is 10 minutes behind the time of --now: the request was delayed, or it is a retry with its old signature, or the sender's clock is slow$/
        ),
        'Look for a queue in between; have the sender sign each retry afresh, and correct its clock (NTP).'
      ]
    ])
    expect(added(600, 'flag')).toEqual([
      [
        expect.stringMatching(/: the sender's clock is fast, or the request arrived later than that$/),
        'Compare that time with the log of the receiver; have the sender correct its clock (NTP).'
      ]
    ])
  })

  test("by the capture's own time: the program that captured it may be slow", () => {
    expect(added(-600, 'capture')).toEqual([
      [
        expect.stringMatching(
          /: the request was delayed, or it is a retry with its old signature, or the sender's clock is slow$/
        ),
        'Look for a queue in between; have the sender sign each retry afresh, and correct its clock (NTP); ' +
          'to check all but the date: --now date.'
      ]
    ])
    expect(added(600, 'capture')).toEqual([
      [
        expect.stringMatching(/: the sender's clock is fast, or that of the program which captured it is slow$/),
        'Have the sender correct its clock (NTP); to check all but the date: --now date.'
      ]
    ])
  })

  test('by the clock of a fixture never blames the clock of this machine', () => {
    for (const offset of [-600, 600]) {
      expect(added(offset, 'fixture')).toHaveLength(1)
      expect(JSON.stringify(added(offset, 'fixture'))).not.toContain('this machine')
    }
    expect(CLOCKS.fixture).not.toBe(CLOCKS.machine)
  })

  test('is the same for the times of a signature', () => {
    const { 'date-too-old': causes, ...others } = captureCauses('flag')
    for (const code of ['date-in-future', 'signature-created-out-of-range', 'signature-expired'] as const)
      expect(others[code]).toBe(causes)
  })
})

test('a name that is not a token may be a line that a terminal wrapped', () => {
  const [entry] = captureCauses('machine')['request-malformed']!
  const known = (part: string) => ({ evidence: { part }, shown: { name: 'a b' } }) as never
  expect(['header-name', 'header-value'].map(part => entry!.find(known(part)))).toEqual([true, false])
  expect((entry!.cause as (known: never) => string)(known('header-name'))).toBe(
    'a line of the capture was wrapped when it was copied (a b is not the name of a header), or it is a broken ' +
      'sender, or an attack'
  )
  expect(entry!.fix).toBe('Save the capture to a file: a terminal shows other lines.')
})

test('a digest without a body may be a capture that left the body out', () => {
  const [entry] = captureCauses('machine')['digest-mismatch']!
  const known = (bodyLength: number) => ({ evidence: { bodyLength } }) as never
  expect([0, 1].map(length => entry!.find(known(length)))).toEqual([true, false])
  expect([entry!.cause, entry!.fix]).toEqual([
    'the capture has no body, but the request had one when it was signed: the program that captured it left it out',
    'Capture the body too, as it is received; if the capture is right, something in front of it dropped the body.'
  ])
})
