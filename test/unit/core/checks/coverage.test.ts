import { expect, test } from 'vitest'
import { service, withSignature } from '../../../support/service.ts'
import { failuresOf, verifyWith } from '../../../support/verdicts.ts'

const FIVE = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']

test('judges the same list by the options of each receiver', async () => {
  const request = service.sign({ covered: FIVE })
  expect(failuresOf(await verifyWith({}, request))).toEqual([])
  const verdict = await verifyWith({ alsoCovered: ['x-nonce'] }, request)
  expect(failuresOf(verdict)).toEqual(['coverage: coverage-insufficient'])
})

test('reports a missing list once, although its default (created) is missing too', async () => {
  const request = service.sign({ covered: FIVE })
  const withoutList = withSignature(request, value => value.replace(/headers="[^"]*",/, ''))
  expect(failuresOf(await verifyWith({}, withoutList))).toEqual(['coverage: coverage-insufficient'])
})

test('names what is missing once, however often it is configured', async () => {
  const verdict = await verifyWith({ alsoCovered: ['x-tenant', 'host', 'x-tenant'] })
  expect(verdict.failures[0]?.evidence).toMatchObject({ missing: ['x-tenant'] })
})
