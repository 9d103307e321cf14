import { expect, test } from 'vitest'
import { service, verifyWith } from '../../support/checks.ts'
import { failuresOf } from '../../support/verdicts.ts'

const FIVE = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']

test('judges the same list by the options of each receiver', async () => {
  const request = service.sign({ covered: FIVE })
  expect(failuresOf(await verifyWith({}, request))).toEqual([])
  expect(failuresOf(await verifyWith({ alsoCovered: ['x-nonce'] }, request))).toEqual([
    'coverage: coverage-insufficient'
  ])
})

test('reports a missing list once, although its default (created) is missing too', async () => {
  const request = service.sign({ covered: FIVE })
  const headers = [...(request.headers as Iterable<[string, string]>)].map(([name, value]): [string, string] => [
    name,
    name === 'Signature' ? value.replace(/headers="[^"]*",/, '') : value
  ])
  expect(failuresOf(await verifyWith({}, { ...request, headers }))).toEqual(['coverage: coverage-insufficient'])
})

test('names what is missing once, however often it is configured', async () => {
  const verdict = await verifyWith({ alsoCovered: ['x-tenant', 'host', 'x-tenant'] })
  expect(verdict.failures[0]?.evidence).toMatchObject({ missing: ['x-tenant'] })
})
