import { expect, test } from 'vitest'
import { createVerifier, type VerifierOptions } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { failuresOf } from '../support/verdicts.ts'

const service = createTestService({ rsaBits: 1024 })
const verifierWith = (options: Partial<VerifierOptions>) => createVerifier({ ...service.options, ...options })

const FIVE = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']

test('judges each list by itself, whatever came before', async () => {
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

test('judges the same list by the options of each receiver', async () => {
  const request = service.sign({ covered: FIVE })
  expect(failuresOf(await verifierWith({})(request))).toEqual([])
  expect(failuresOf(await verifierWith({ alsoCovered: ['x-nonce'] })(request))).toEqual([
    'coverage: coverage-insufficient'
  ])
})
