import { mock } from 'node:test'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createVerifier } from '../../../src/index.ts'
import { service } from '../../support/service.ts'

const HOUR = 3_600_000

/** Sets and restores the clock with each test runner. */
const RUNNERS: readonly (readonly [name: string, set: (ms: number) => void, restore: () => void])[] = [
  ['vitest, and jest, whose timers are the same', now => vi.useFakeTimers({ now }), () => vi.useRealTimers()],
  ['node:test', now => mock.timers.enable({ apis: ['Date'], now }), () => mock.timers.reset()]
]

describe.each(RUNNERS)('with the fake timers of %s', (_, setClock, restore) => {
  let verify: ReturnType<typeof createVerifier>
  beforeEach(() => {
    // The verifier is older than the fake clock, as in a receiver's module.
    verify = createVerifier(service.options)
  })
  afterEach(restore)

  test('a request that was signed just now is verified, whatever the clock is set to', async () => {
    setClock(Date.parse('2031-01-01T00:00:00Z'))
    expect(await verify(service.sign({ body: '{}' }))).toMatchObject({ status: 'verified' })
  })

  test('a request is too old when the clock has moved on', async () => {
    const signed = service.sign({ body: '{}' })
    setClock(Date.now() + HOUR)
    expect(await verify(signed)).toMatchObject({ status: 'rejected', failures: [{ code: 'date-too-old' }] })
  })

  test('the real clock counts again after the test', async () => {
    setClock(Date.now() + HOUR)
    const fromTheFuture = service.sign()
    restore()
    expect(await verify(fromTheFuture)).toMatchObject({ failures: [{ code: 'date-in-future' }] })
    expect(await verify(service.sign())).toMatchObject({ status: 'verified' })
  })
})
