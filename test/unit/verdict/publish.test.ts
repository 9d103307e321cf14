import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, describe, expect, it } from 'vitest'
import { createVerifier, type Verdict, type VerdictMessage } from '../../../src/index.ts'
import { createTestService } from '../../../src/testing/index.ts'

const CHANNEL = 'signed-requests:verdict'
const service = createTestService({ rsaBits: 1024 })
const verify = createVerifier(service.options)

describe('the channel of verdicts', () => {
  const heard: VerdictMessage[] = []
  const listener = (message: unknown) => void heard.push(message as VerdictMessage)

  afterEach(() => {
    unsubscribe(CHANNEL, listener)
    heard.length = 0
  })

  it('publishes each verdict once, as the same object, with its duration', async () => {
    subscribe(CHANNEL, listener)
    const start = performance.now()
    const verdicts = [
      await verify(service.sign()),
      await verify({ ...service.sign({ method: 'POST', body: '{}' }), body: '[]' }),
      await verify({ ...service.sign(), https: false })
    ]
    const most = performance.now() - start

    expect(heard.map(message => message.verdict.status)).toEqual(['verified', 'rejected', 'rejected'])
    for (const [i, { verdict, durationMs }] of heard.entries()) {
      expect(verdict).toBe(verdicts[i])
      expect(durationMs).toBeGreaterThan(0)
      expect(durationMs).toBeLessThanOrEqual(most)
    }
  })

  it('includes the wait for DNS in the duration', async () => {
    subscribe(CHANNEL, listener)
    let before = 0
    let waited = 0
    const slowly = createVerifier({
      ...service.options,
      async lookupTxt(name, options) {
        before = performance.now()
        await new Promise(resolve => setImmediate(resolve))
        waited = performance.now() - before
        return service.lookupTxt(name, options)
      }
    })
    expect((await slowly(service.sign())).status).toBe('verified')
    expect(heard[0]!.durationMs).toBeGreaterThanOrEqual(waited)
  })

  it('publishes to new subscribers, and no longer after they unsubscribe', async () => {
    await verify(service.sign())
    expect(heard).toEqual([])
    subscribe(CHANNEL, listener)
    await verify(service.sign())
    expect(heard).toHaveLength(1)
    unsubscribe(CHANNEL, listener)
    await verify(service.sign())
    expect(heard).toHaveLength(1)
  })

  it('publishes nothing for a mistake of the receiver, which still rejects', async () => {
    subscribe(CHANNEL, listener)
    await expect(verify({ ...service.sign(), body: {} as Uint8Array })).rejects.toThrow(TypeError)
    expect(heard).toEqual([])
  })
})

it('the example counts verdicts by status and code, and times them', async () => {
  await import('../../../examples/metrics.ts')
  const { register } = await import('prom-client')
  const send = async (): Promise<Verdict[]> => [
    await verify(service.sign()),
    await verify(service.sign()),
    await verify({ ...service.sign(), https: false })
  ]
  await send()

  const lines = (await register.metrics()).split('\n')
  expect(lines).toContain('signed_requests_total{status="verified",code=""} 2')
  expect(lines).toContain('signed_requests_total{status="rejected",code="not-https"} 1')
  expect(lines).toContain('signed_requests_seconds_count 3')
})
