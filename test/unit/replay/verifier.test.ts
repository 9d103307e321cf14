import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createVerifier, httpStatus, type Verdict, type VerifierOptions } from '../../../src/index.ts'
import { memoryReplayStore, type ReplayStore } from '../../../src/replay/index.ts'
import { linesOf, service, withSignature } from '../../support/service.ts'

const verifierWith = (replayStore: ReplayStore, options: Partial<VerifierOptions> = {}) =>
  createVerifier({ ...service.options, dateTolerance: 300, replayStore, ...options })
const outcome = ({ status, failures }: Verdict) => [status, ...failures.map(({ code }) => code)].join(': ')

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 20, 12) }))
afterEach(() => void vi.useRealTimers())

test('accepts a request once, until it is released', async () => {
  const verify = verifierWith(memoryReplayStore())
  const request = service.sign({ body: '{}' })
  const first = await verify(request)
  expect(outcome(first)).toBe('verified')
  expect(outcome(await verify(request))).toBe('rejected: replayed')
  if (first.status === 'verified') await verify.release(first)
  expect(outcome(await verify(request))).toBe('verified')
  expect(outcome(await verify(request))).toBe('rejected: replayed')
})

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const inBase64Url = (value: string) => value.replaceAll('+', '-').replaceAll('/', '_').replace(/"$/, ' "')
/** The last character before the padding carries bits that decode to nothing. */
const withStrayBits = (value: string) =>
  value.replace(/(.)(==?)"$/, (_, last, padding) => `${ALPHABET[ALPHABET.indexOf(last) + 1]}${padding}"`)

test.each<[string, (value: string) => string, string]>([
  ['its parameters in another order', value => value.split(',').reverse().join(' ,\t'), 'replayed'],
  ['another parameter', value => `${value},x="y"`, 'replayed'],
  ['no padding', value => value.replace(/=+"$/, '"'), 'signature-not-base64'],
  ['another alphabet', inBase64Url, 'signature-not-base64'],
  ['stray bits', withStrayBits, 'signature-not-base64']
])('accepts no other layout or encoding of the same signature: %s', async (_, change, code) => {
  const verify = verifierWith(memoryReplayStore())
  const request = service.sign({ body: '{}' })
  const changed = withSignature(request, change)
  expect(changed.headers.at(-1)).not.toEqual(linesOf(request).at(-1))
  expect(outcome(await verify(request))).toBe('verified')
  expect(outcome(await verify(changed))).toBe(`rejected: ${code}`)
  const upperCase = linesOf(request).map(([name, value]) => [name.toUpperCase(), value] as const)
  expect(outcome(await verify({ ...request, headers: upperCase.reverse() }))).toBe('rejected: replayed')
})

test.each([
  ['as long as a Date %d s from now is accepted', -299, 0],
  ['as long as a Date %d s from now is accepted', 0, 0],
  ['as long as a Date %d s from now is accepted', 299, 0],
  ['as long as the system clock, set back, makes it recent again (a Date %d s from now)', 0, 10]
])('refuses a replay for %s', async (_, offset, setBack) => {
  const verify = verifierWith(memoryReplayStore())
  const request = service.sign({ date: new Date(Date.now() + offset * 1000) })
  expect(outcome(await verify(request))).toBe('verified')
  vi.setSystemTime(Date.now() - setBack * 1000)
  for (let second = 0; second < offset + 300 + setBack; second++) {
    vi.advanceTimersByTime(1000)
    expect(outcome(await verify(request))).toBe('rejected: replayed')
  }
  vi.advanceTimersByTime(1000)
  expect(outcome(await verify(request))).toBe('rejected: date-too-old')
})

test('refuses a copy of the last moment of its Date, whose claim the store answers later', async () => {
  const { claim, release } = memoryReplayStore()
  let delay = 0
  const claimLater: ReplayStore['claim'] = async (...call) => {
    await new Promise(resolve => setTimeout(resolve, delay))
    return claim(...call)
  }
  const verify = verifierWith({ claim: claimLater, release }, { dateTolerance: 2, replayTimeout: 5000 })
  const request = service.sign({ date: new Date() })
  const judge = async () => {
    const verdict = verify(request)
    await vi.advanceTimersByTimeAsync(delay)
    return outcome(await verdict)
  }
  expect(await judge()).toBe('verified')
  vi.advanceTimersByTime(1900)
  delay = 4900
  expect(await judge()).toBe('rejected: replayed')
})

test('a full store makes a new request unavailable, and lets in none that it holds', async () => {
  const verify = verifierWith(memoryReplayStore({ maxEntries: 1 }))
  const [one, two] = [service.sign(), service.sign()]
  expect(outcome(await verify(one))).toBe('verified')
  const refused = await verify(two)
  expect(outcome(refused)).toBe('unavailable: replay-store-failed')
  expect(refused.checks.replay).toMatchObject({ evidence: { error: 'REPLAY_STORE_FULL' } })
  expect(httpStatus(refused)).toBe(503)
  expect(outcome(await verify(one))).toBe('unavailable: replay-store-failed')
})
