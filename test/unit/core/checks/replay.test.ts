import { expect, test } from 'vitest'
import type { VerifierOptions } from '../../../../src/index.ts'
import { service } from '../../../support/service.ts'
import { verifyWith } from '../../../support/verdicts.ts'

const NOON = Date.UTC(2026, 10, 20, 12)

/** Returns the claims of a store, and their lifetime, when a request is judged at this time. */
async function claimsOf(date: number, options: Partial<VerifierOptions>) {
  const claims: [string, number][] = []
  const claim = async (id: string, _: string, ttl: number) => claims.push([id, ttl]) > 0
  const replayStore = { claim, release: async () => {} }
  const verdict = await verifyWith({ now: () => NOON, replayStore, ...options }, service.sign({ date: new Date(date) }))
  expect(verdict.status).toBe('verified')
  return claims
}

// An entry lasts for the Date's window, a second for rounding, and the second that a copy's own claim may take
// (replayTimeout).
test.each([
  [0, 0, 302],
  [-300, 0, 2],
  [-299, 500, 3],
  [300, 0, 602],
  [10, -200, 313]
])('keeps the id of a Date of %d s, judged at %d ms, for %d seconds', async (date, at, expected) => {
  const claims = await claimsOf(NOON + date * 1000, { now: () => NOON + at })
  expect(claims).toEqual([[expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/), expected]])
})

test('keeps an id for as long as the claim of a copy may take', async () => {
  const claims = await claimsOf(NOON, { dateTolerance: 2, replayTimeout: 5000 })
  expect(claims).toEqual([[expect.any(String), 8]])
})

test('names the store that failed, and none for a request that was seen before', async () => {
  const store = (claim: () => Promise<boolean>) => ({ name: 'Redis', claim, release: async () => {} })
  const evidenceOf = async (claim: () => Promise<boolean>) =>
    (await verifyWith({ replayStore: store(claim) })).failures.map(({ evidence }) => evidence)
  expect(await evidenceOf(async () => Promise.reject(new Error('down')))).toEqual([
    { error: 'Error', problem: 'threw', store: 'Redis' }
  ])
  expect(await evidenceOf(async () => false)).toEqual([{ replayId: expect.any(String) }])
})
