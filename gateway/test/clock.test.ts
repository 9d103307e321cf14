import { expect, onTestFinished, test, vi } from 'vitest'
import { service, withHeaders } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'
import { clockFact, watchClock } from '../src/clock.ts'
import { ask, startTestAdmin } from './support/admin.ts'
import { exchangeOf } from './support/exchanges.ts'

const MINUTE = 60_000

/** Starts a watch whose time is set. */
function start({ storeClock, lookupTxt = service.lookupTxt }: StartOptions = {}) {
  // Date has whole seconds.
  const clock = { time: Math.floor(Date.now() / 1000) * 1000 }
  const now = () => clock.time
  const watch = watchClock({ verifier: { ...service.options, lookupTxt }, storeClock, now })
  onTestFinished(watch.close)
  /** Notes a request that was signed so many seconds before it came, by this clock. */
  const receive = async (seconds: number, change = (signed: ReturnType<typeof service.sign>) => signed) => {
    const signed = change(service.sign({ target: '/hook', date: new Date(clock.time - seconds * 1000) }))
    await watch.note(await exchangeOf(signed, { receivedAt: clock.time }, { now }))
  }
  return { ...watch, clock, receive }
}

interface StartOptions {
  readonly storeClock?: () => Promise<number | undefined>
  readonly lookupTxt?: typeof service.lookupTxt
}

test('the offset is that of the freshest verified request, because late ones look like a clock that is ahead', async () => {
  const { receive, offsets } = start()
  for (const seconds of [200, 1, 250]) await receive(seconds)
  expect(Math.round(offsets().signatures!)).toBe(1)
})

test.each([
  ['ahead', 400],
  ['behind', -400]
])('a clock that is so far %s that all requests are refused is found by their signatures', async (_, seconds) => {
  const { receive, offsets } = start()
  await receive(seconds)
  expect(Math.round(offsets().signatures!)).toBe(seconds)
})

test('a Date that the published key has not signed says nothing', async () => {
  const { receive, offsets } = start()
  await receive(400, signed => withHeaders(signed, { 'X-Nonce': 'changed' }))
  await receive(400, signed => withHeaders(signed, { Signature: undefined }))
  expect(offsets().signatures).toBe(undefined)
})

test('a clock that is set back is found by the next signature', async () => {
  const { receive, offsets, clock } = start()
  await receive(400)
  clock.time -= 60 * MINUTE
  await receive(-400)
  expect(Math.round(offsets().signatures!)).toBe(-400)
})

test('DNS is asked about refused Dates once in ten seconds', async () => {
  const lookupTxt = vi.fn(service.lookupTxt)
  const { receive, clock } = start({ lookupTxt })
  for (let i = 0; i < 50; i++) await receive(400)
  expect(lookupTxt).toHaveBeenCalledTimes(1)
  clock.time += 10_000
  await receive(400)
  expect(lookupTxt).toHaveBeenCalledTimes(2)
})

test('an offset is forgotten after ten minutes, and a smaller one counts for five at least', async () => {
  const { receive, offsets, clock } = start()
  await receive(1)
  clock.time += 6 * MINUTE
  await receive(200)
  expect(Math.round(offsets().signatures!)).toBe(1)
  clock.time += 6 * MINUTE
  expect(Math.round(offsets().signatures!)).toBe(200)
  clock.time += 11 * MINUTE
  expect(offsets().signatures).toBe(undefined)
})

test('the clock of the store is compared at the start', async () => {
  const { offsets } = start({ storeClock: async () => Date.now() - 700_000 })
  await until(() => offsets().store !== undefined)
  // Seconds may pass between the two readings of the clock.
  expect(offsets().store!).toBeCloseTo(700, -2)
})

test('the page says what the clock was compared with', () => {
  expect(clockFact({ store: undefined, signatures: undefined })).toBe('not compared yet')
  const fact = clockFact({ store: 1, signatures: -400 })
  expect(fact).toContain('as the replay store')
  expect(fact).toContain('400 s behind the signed requests')
})

test('the metric is 0 until the clock is compared', async () => {
  const offsets = { store: undefined as number | undefined, signatures: -400 }
  const { port } = await startTestAdmin({ clockOffsets: () => offsets })
  const { body } = await ask(port, '/metrics')
  const lines = body.split('\n').filter(line => line.startsWith('signed_requests_clock_offset_seconds'))
  expect(lines).toEqual([
    'signed_requests_clock_offset_seconds{source="store"} 0',
    'signed_requests_clock_offset_seconds{source="signatures"} -400'
  ])
})
