import { createVerifier, type ReceivedRequest } from 'signed-requests'
import { expect, test, vi } from 'vitest'
import { service } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'
import { createBoundedVerify } from '../src/bounded-verify.ts'
import { NO_WAITS, type Waits } from '../src/connections.ts'
import { testSettings } from './start.ts'

/** Makes the request with its body in chunks, one for each call of `next`. */
function inChunks(request: ReceivedRequest, bytes: Uint8Array) {
  let next = () => {}
  const go = new Promise<void>(resolve => {
    next = resolve
  })
  async function* chunks() {
    yield bytes.subarray(0, bytes.length - 1)
    await go
    yield bytes.subarray(bytes.length - 1)
  }
  return { request: { ...request, body: chunks() }, next: () => next() }
}

test('a request waits while DNS is asked, and no longer', async () => {
  const settings = testSettings(new URL('http://127.0.0.1'), service)
  const events: string[] = []
  const lookupTxt: typeof service.lookupTxt = (...asked) => {
    events.push('asked')
    return service.lookupTxt(...asked)
  }
  const now = () => {
    events.push('clock')
    return Date.now()
  }
  const waits: Waits = {
    ...NO_WAITS,
    forKey: () => events.push('waits'),
    end: () => events.push('ends')
  }
  const verify = createBoundedVerify(createVerifier({ ...service.options, lookupTxt, now }), settings)
  const { verdict } = await verify({ ...service.sign(), body: null }, waits)
  // The clock is read before DNS, and again after the body.
  expect([verdict.status, ...events.slice(0, 5)]).toEqual(['verified', 'clock', 'asked', 'waits', 'ends', 'clock'])
})

test('a request that fails a local check waits for nothing', async () => {
  const settings = testSettings(new URL('http://127.0.0.1'), service)
  const forKey = vi.fn()
  const verify = createBoundedVerify(createVerifier(service.options), settings)
  const { verdict } = await verify({ ...service.sign(), headers: [] }, { ...NO_WAITS, forKey })
  expect([verdict.status, forKey.mock.calls]).toEqual(['rejected', []])
})

test('small bodies of many senders are held at once, whatever one body may have', async () => {
  const verifier = { ...service.options, maxBodyBytes: 1000 }
  const settings = testSettings(new URL('http://127.0.0.1'), service, { verifier })
  const verify = createBoundedVerify(createVerifier(verifier), settings)
  const body = Buffer.alloc(1000, 'x')
  const all = Array.from({ length: 20 }, (_, n) => inChunks(service.sign({ body, target: `/${n}` }), body))
  const verdicts = all.map(({ request }) => verify(request, NO_WAITS))
  await new Promise(resolve => setImmediate(resolve))
  for (const { next } of all) next()
  const statuses = (await Promise.all(verdicts)).map(({ verdict }) => verdict.status)
  expect(new Set(statuses)).toEqual(new Set(['verified']))
})

test('a body that is complete is kept, however much others send: the one that still arrives gives way', async () => {
  const claims: (() => void)[] = []
  const replayStore = {
    claim: () => new Promise<boolean>(resolve => claims.push(() => resolve(true))),
    release: async () => {}
  }
  const verifier = { ...service.options, replayTimeout: 60_000 }
  const settings = testSettings(new URL('http://127.0.0.1'), service, { verifier })
  const verify = createBoundedVerify(createVerifier({ ...verifier, replayStore }), settings)
  const sign = (length: number, target: string) => {
    const body = Buffer.alloc(length, 'x')
    return inChunks(service.sign({ body, target }), body)
  }
  // Together they are a little less than what all bodies may hold.
  const complete = Array.from({ length: 5 }, (_, n) => sign(10_000_000, `/${n}`))
  const results = complete.map(({ request, next }) => {
    next()
    return verify(request, NO_WAITS)
  })
  await until(() => claims.length === 5)
  const late = sign(9_000_000, '/late')
  expect(await verify(late.request, NO_WAITS)).toMatchObject({ isRevoked: true })
  for (const claim of claims) claim()
  const verdicts = await Promise.all(results)
  expect(verdicts.map(({ verdict, isRevoked }) => [verdict.status, isRevoked])).toEqual(
    Array(5).fill(['verified', false])
  )
})
