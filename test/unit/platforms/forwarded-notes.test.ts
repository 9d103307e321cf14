import { describe, expect, test } from 'vitest'
import { createVerifier, fromLambdaEvent, type ProxyOptions } from '../../../src/index.ts'
import { createTestService } from '../../../src/testing/index.ts'

const received = (multiValueHeaders: Record<string, string[]>, options: ProxyOptions) =>
  fromLambdaEvent({ requestContext: { elb: {} }, httpMethod: 'GET', path: '/', multiValueHeaders }, options)

describe('notes a forwarding header that was asked for and could not be used', () => {
  test.each([
    ['absent', []],
    ['http', ['http']],
    ['a list', ['https, http']],
    ['repeated', ['https', 'https']]
  ])('X-Forwarded-Proto: %s', (_, values) => {
    const { forwarded } = received({ 'x-forwarded-proto': values }, { https: 'x-forwarded-proto' })
    expect(forwarded).toEqual({ https: { header: 'X-Forwarded-Proto', received: values } })
  })

  test.each([
    ['absent', []],
    ['a list', ['a.example, b.example']],
    ['repeated', ['a.example', 'a.example']],
    ['empty', ['']]
  ])('X-Forwarded-Host: %s', (_, values) => {
    const { forwarded } = received({ 'X-Forwarded-Host': values }, { host: 'x-forwarded-host' })
    expect(forwarded).toEqual({ host: { header: 'X-Forwarded-Host', received: values } })
  })
})

test('a header that was usable, or was not asked for, leaves no note', () => {
  const headers = {
    'X-Forwarded-Proto': ['https'],
    'X-Forwarded-Host': ['receiver.example'],
    'X-Forwarded-Prefix': ['/hooks']
  }
  const asked = { https: 'x-forwarded-proto', host: 'x-forwarded-host', prefix: 'x-forwarded-prefix' } as const
  for (const options of [asked, {}, { https: true, host: 'a.example', prefix: '/a' }]) {
    expect(received(headers, options)).not.toHaveProperty('forwarded')
  }
})

test('the notes of a copied request are in the evidence', async () => {
  const verify = createVerifier(createTestService({ rsaBits: 1024 }).options)
  const verdict = await verify({ ...received({}, { https: 'x-forwarded-proto' }), target: '/other' })
  expect(verdict.failures[0]).toMatchObject({
    code: 'not-https',
    evidence: { header: 'X-Forwarded-Proto', received: [] }
  })
})
