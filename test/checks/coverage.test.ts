import { expect, test, vi } from 'vitest'
import { checkCoverage } from '../../src/checks/coverage.ts'
import { draftCavage } from '../../src/draft-cavage/scheme.ts'
import { parseFields } from '../../src/http/fields.ts'
import { createVerifier, type VerifierOptions } from '../../src/index.ts'
import { readOptions } from '../../src/options/settings.ts'
import { createTestService } from '../../src/testing/index.ts'
import { failuresOf } from '../support/verdicts.ts'

const service = createTestService({ rsaBits: 1024 })
const verifierWith = (options: Partial<VerifierOptions>) => createVerifier({ ...service.options, ...options })

const FIVE = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']

test('a list that was found good says nothing of the next one', async () => {
  const verify = verifierWith({})
  for (const [covered, failures] of [
    [FIVE, []],
    [FIVE.slice(1), ['coverage: coverage-insufficient']],
    [FIVE, []],
    [[...FIVE, 'host'], ['coverage: coverage-repeated']]
  ] as const) {
    expect(failuresOf(await verify(service.sign({ covered })))).toEqual(failures)
  }
})

test('a list that is good for one receiver may cover too little for another', async () => {
  const request = service.sign({ covered: FIVE })
  expect(failuresOf(await verifierWith({})(request))).toEqual([])
  expect(failuresOf(await verifierWith({ alsoCovered: ['x-nonce'] })(request))).toEqual([
    'coverage: coverage-insufficient'
  ])
})

test('the last few lists that were found good are not looked at again, and no more of them are kept', () => {
  const request = service.sign()
  const fields = parseFields(request.headers)
  const settings = readOptions(service.options)
  const findMissing = vi.fn(draftCavage.findMissing)
  const looksAt = (headers: readonly string[]): boolean => {
    findMissing.mockClear()
    const claims = { keyId: '', headers, signature: new Uint8Array(1) }
    if (!fields.ok) throw new Error(fields.code)
    expect(checkCoverage({ ...draftCavage, findMissing }, request, fields.value, claims, settings).ok).toBe(
      true
    )
    return findMissing.mock.calls.length === 1
  }
  const lists = Array.from({ length: 5 }, () => [...FIVE])
  const [first, ...last] = lists as [string[], ...string[][]]
  expect(lists.map(looksAt)).toEqual([true, true, true, true, true])
  expect(last.map(looksAt)).toEqual([false, false, false, false])
  expect(looksAt(first)).toBe(true)
})
