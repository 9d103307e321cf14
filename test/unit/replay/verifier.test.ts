import { afterEach, expect, test, vi } from 'vitest'
import { createVerifier, httpStatus, type ReceivedRequest, type Verdict } from '../../../src/index.ts'
import { memoryReplayStore, type ReplayStore } from '../../../src/replay/index.ts'
import { service } from '../../support/service.ts'

const verifierWith = (replayStore: ReplayStore) =>
  createVerifier({ ...service.options, dateTolerance: 300, replayStore })
const outcome = (verdict: Verdict) =>
  verdict.status === 'verified' ? verdict.status : `${verdict.status}: ${verdict.failures.map(f => f.code).join()}`

afterEach(() => {
  vi.useRealTimers()
})

test('accepts a request once, until it is released', async () => {
  const verify = verifierWith(memoryReplayStore())
  const request = service.sign({ body: '{}' })
  const first = await verify(request)
  expect(first.status).toBe('verified')
  expect(outcome(await verify(request))).toBe('rejected: replayed')

  await verify.release(first)
  expect(outcome(await verify(request))).toBe('verified')
  expect(outcome(await verify(request))).toBe('rejected: replayed')
})

test('accepts no other layout or encoding of the same signature', async () => {
  const verify = verifierWith(memoryReplayStore())
  const request = service.sign({ body: '{}' })
  expect(outcome(await verify(request))).toBe('verified')

  const headers = request.headers as [string, string][]
  const withSignature = (change: (value: string) => string): ReceivedRequest => ({
    ...request,
    headers: headers.map(([name, value]) => [name, name === 'Signature' ? change(value) : value] as const)
  })
  const reordered = (value: string) => value.split(',').reverse().join(' ,\t')
  const upperCase = headers.map(([name, value]) => [name.toUpperCase(), value] as const)
  expect(outcome(await verify(withSignature(reordered)))).toBe('rejected: replayed')
  expect(outcome(await verify(withSignature(value => `${value},x="y"`)))).toBe('rejected: replayed')
  expect(outcome(await verify({ ...request, headers: [...upperCase].reverse() }))).toBe('rejected: replayed')
  for (const change of [
    (value: string) => value.replace(/=+"$/, '"'),
    (value: string) => value.replaceAll('+', '-').replaceAll('/', '_').replace(/"$/, ' "')
  ]) {
    expect((await verify(withSignature(change))).status).toBe('rejected')
  }
  // The last character before the padding carries bits that decode to nothing.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const strayBits = (value: string) =>
    value.replace(/(.)(==?)"$/, (_, last, padding) => `${alphabet[alphabet.indexOf(last) + 1]}${padding}"`)
  expect(strayBits(headers.at(-1)![1])).not.toBe(headers.at(-1)![1])
  expect(outcome(await verify(withSignature(strayBits)))).toBe('rejected: signature-not-base64')
})

test.each([-299, 0, 299])('refuses a replay for as long as a Date %s s from now is accepted', async offset => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.UTC(2026, 10, 20, 12) })
  const verify = verifierWith(memoryReplayStore())
  const request = service.sign({ date: new Date(Date.now() + offset * 1000) })
  expect(outcome(await verify(request))).toBe('verified')
  for (let second = 0; second < offset + 300; second++) {
    vi.advanceTimersByTime(1000)
    expect(outcome(await verify(request))).toBe('rejected: replayed')
  }
  vi.advanceTimersByTime(1000)
  expect(outcome(await verify(request))).toBe('rejected: date-too-old')
})

test('refuses a replay that the system clock, set back, makes recent again', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.UTC(2026, 10, 20, 12) })
  const verify = verifierWith(memoryReplayStore())
  const request = service.sign()
  expect(outcome(await verify(request))).toBe('verified')
  vi.setSystemTime(Date.now() - 10_000)
  for (let second = 0; second < 310; second++) {
    vi.advanceTimersByTime(1000)
    expect(outcome(await verify(request))).toBe('rejected: replayed')
  }
  vi.advanceTimersByTime(1000)
  expect(outcome(await verify(request))).toBe('rejected: date-too-old')
})

test('is unavailable for a new request when the store is full, and keeps refusing the held ones', async () => {
  const store = memoryReplayStore({ maxEntries: 1 })
  const verify = verifierWith(store)
  const [one, two] = [service.sign(), service.sign()]
  const first = await verify(one)
  expect(first.status).toBe('verified')
  const refused = await verify(two)
  expect(outcome(refused)).toBe('unavailable: replay-store-failed')
  expect(refused.checks.replay).toMatchObject({ evidence: { error: 'REPLAY_STORE_FULL' } })
  expect(httpStatus(refused)).toBe(503)
  expect(outcome(await verify(one))).toBe('rejected: replayed')
  await verify.release(first)
  expect(outcome(await verify(one))).toBe('verified')
})
