import { expect, test } from 'vitest'
import { checkDate } from '../../../../src/core/checks/date.ts'
import { ok, UNREADABLE } from '../../../../src/core/result/result.ts'
import { contextWith } from '../../../support/checks.ts'
import { service } from '../../../support/service.ts'
import { failuresOf, verifyWith } from '../../../support/verdicts.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const at = (seconds: number) =>
  checkDate(contextWith({ time: ok({ time: new Date(NOON + seconds * 1000), header: 'as sent' }), now: NOON }))

test('accepts a Date at either end of the tolerance, and none a millisecond beyond', () => {
  for (const seconds of [-300, 0, 300]) expect(at(seconds)).toEqual(ok(new Date(NOON + seconds * 1000)))
  expect(at(-300.001)).toMatchObject({ code: 'date-too-old', evidence: { offsetSeconds: -300.001 } })
  expect(at(300.001)).toMatchObject({ code: 'date-in-future', evidence: { offsetSeconds: 300.001 } })
})

test('does not judge created, which is judged with the signature', () => {
  const time = ok({ time: new Date(0), header: undefined })
  expect(checkDate(contextWith({ time, now: NOON }))).toEqual(ok(new Date(0)))
})

test('passes on a failure to parse', () => expect(checkDate(contextWith({ time: UNREADABLE }))).toBe(UNREADABLE))

test('the Date is judged again when the body has been read, with a store and without', async () => {
  const replayStore = { claim: async () => true, release: async () => {} }
  for (const options of [{}, { replayStore }]) {
    let now = NOON
    const slowBody = (async function* () {
      now += 301_000
      yield Buffer.from('{}')
    })()
    const request = { ...service.sign({ date: NOON, method: 'POST', body: '{}' }), body: slowBody }
    const verdict = await verifyWith({ ...options, now: () => now }, request)
    expect(failuresOf(verdict)).toEqual(['date: date-too-old'])
    expect(verdict.checks.digest).toEqual({ outcome: 'pass' })
    expect(verdict.checks.replay.outcome).toBe('not-run')
  }
})

test.each([Number.NaN, Number.POSITIVE_INFINITY])('throws for a clock that returns %d', async now => {
  const error = new TypeError(`now() returned the number ${now}: return milliseconds since 1970`)
  await expect(verifyWith({ now: () => now })).rejects.toThrow(error)
})
