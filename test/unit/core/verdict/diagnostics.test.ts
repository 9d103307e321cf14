import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, describe, expect, test } from 'vitest'
import { createVerifier, type VerdictMessage } from '../../../../src/index.ts'
import { service } from '../../../support/service.ts'

const CHANNEL = 'signed-requests:verdict'
const verify = createVerifier(service.options)
const withoutHttps = () => ({ ...service.sign(), https: false })

describe('the channel of verdicts', () => {
  const heard: VerdictMessage[] = []
  const listener = (message: unknown) => void heard.push(message as VerdictMessage)

  afterEach(() => {
    unsubscribe(CHANNEL, listener)
    heard.length = 0
  })

  test('publishes each verdict once, as the same object, with its duration', async () => {
    subscribe(CHANNEL, listener)
    const start = performance.now()
    const verdicts = [
      await verify(service.sign()),
      await verify({ ...service.sign({ body: '{}' }), body: '[]' }),
      await verify(withoutHttps())
    ]
    const most = performance.now() - start

    expect(heard.map(message => message.verdict.status)).toEqual(['verified', 'rejected', 'rejected'])
    for (const [i, { verdict, durationMs }] of heard.entries()) {
      expect(verdict).toBe(verdicts[i])
      expect(durationMs).toBeGreaterThan(0)
      expect(durationMs).toBeLessThanOrEqual(most)
    }
  })

  test('says how long was waited for the key, the body and the store', async () => {
    subscribe(CHANNEL, listener)
    const waits: number[] = []
    const wait = async <T>(value: T): Promise<T> => {
      const start = performance.now()
      await new Promise(resolve => setImmediate(resolve))
      waits.push(performance.now() - start)
      return value
    }
    const slowly = createVerifier({
      ...service.options,
      lookupTxt: async (...call) => wait(await service.lookupTxt(...call)),
      replayStore: { claim: () => wait(true), release: async () => {} }
    })
    const signed = service.sign({ body: '{}' })
    async function* streamed() {
      yield await wait(signed.body as Uint8Array)
    }
    expect((await slowly({ ...signed, body: streamed() })).status).toBe('verified')
    const [{ stages, durationMs }] = heard as [VerdictMessage]
    expect(Object.keys(stages)).toEqual(['keyMs', 'bodyMs', 'replayMs'])
    const measuredTimes = Object.values(stages)
    for (const [i, ms] of measuredTimes.entries()) expect(ms).toBeGreaterThanOrEqual(waits[i]!)
    expect(durationMs).toBeGreaterThanOrEqual(measuredTimes.reduce((sum, ms) => sum + ms))
  })

  test('the channel of verdicts has no stages where nothing was waited for, and the one that failed', async () => {
    subscribe(CHANNEL, listener)
    await verify(withoutHttps())
    await createVerifier({ ...service.options, lookupTxt: () => Promise.reject(new Error()) })(service.sign())
    expect(heard.map(({ stages }) => Object.keys(stages))).toEqual([[], ['keyMs']])
  })

  test('publishes to new subscribers, and no longer after they unsubscribe', async () => {
    const counts: number[] = []
    for (const change of [() => {}, subscribe, unsubscribe]) {
      change(CHANNEL, listener)
      await verify(service.sign())
      counts.push(heard.length)
    }
    expect(counts).toEqual([0, 1, 1])
  })

  test('publishes nothing for a mistake of the receiver, which still rejects', async () => {
    subscribe(CHANNEL, listener)
    await expect(verify({ ...service.sign(), body: {} as Uint8Array })).rejects.toThrow(TypeError)
    expect(heard).toEqual([])
  })
})

test('the example counts verdicts by status and code, and times them', async () => {
  await import('../../../../examples/metrics.ts')
  const { register } = await import('prom-client')
  const linesNow = async () => (await register.metrics()).split('\n')
  expect(await linesNow()).toContain('signed_requests_verdicts_total{status="verified",code="",signed="key"} 0')
  for (const request of [service.sign(), service.sign(), withoutHttps()]) await verify(request)

  const lines = [
    'signed_requests_verdicts_total{status="verified",code="",signed="key"} 2',
    'signed_requests_verdicts_total{status="rejected",code="not-https",signed="claimed"} 1',
    'signed_requests_verdict_duration_seconds_count{status="verified"} 2',
    'signed_requests_verdict_duration_seconds_count{status="rejected"} 1'
  ]
  expect(await linesNow()).toEqual(expect.arrayContaining(lines))
})
