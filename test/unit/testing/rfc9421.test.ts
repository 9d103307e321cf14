import { expect, test } from 'vitest'
import { createVerifier, type ReceivedRequest, type VerifierOptions } from '../../../src/index.ts'
import { rfc9421 } from '../../../src/rfc9421/index.ts'
import { captureFixture, createTestService, type SignRequest } from '../../../src/testing/index.ts'
import { readFixture } from '../../support/read-fixture.ts'
import { linesOf, withHeaders } from '../../support/service.ts'
import { failuresOf } from '../../support/verdicts.ts'

const BODY = '{"event":"published"}'
const service = createTestService({ accountHeader: 'X-Brand-ID', rsaBits: 1024 })
const verify = createVerifier({ ...service.options, schemes: [rfc9421] })
const inputOf = (request: ReceivedRequest) => new Map(linesOf(request)).get('Signature-Input')

test('signs the components of the list of the specification that are present', () => {
  const input = (request: SignRequest) => inputOf(service.sign({ scheme: 'rfc9421', ...request }))
  expect(input({ body: BODY })).toMatch(
    /^sig1=\("@method" "@request-target" "@authority" "date" "content-length" "content-type" "x-brand-id" "content-digest" "x-nonce"\);created=\d{10};keyid="key1\._domainkey\.service\.example";alg="rsa-v1_5-sha256"$/
  )
  expect(input({ headers: { 'X-Nonce': undefined } })).toMatch(
    /^sig1=\("@method" "@request-target" "@authority" "date" "x-brand-id" "content-digest"\);/
  )
})

test('signs at the time it is told', async () => {
  const date = new Date('2026-01-02T03:04:05Z')
  const request = service.sign({ scheme: 'rfc9421', date })
  expect(inputOf(request)).toContain(';created=1767323045;')
  expect(failuresOf(await verify(request))).toEqual([
    'date: date-too-old',
    'signature-header: signature-created-out-of-range'
  ])
  const then = createVerifier({ ...service.options, schemes: [rfc9421], now: () => date.getTime() })
  expect((await then(request)).status).toBe('verified')
  const texts = service.sign({ scheme: 'rfc9421', date: 'yesterday' })
  expect(failuresOf(await verify(texts))).toEqual(['date: date-malformed'])
})

test('signs the components it is told, with parameters', async () => {
  const named = '@method @target-uri host x-brand-id content-digest content-digest;key="sha-256"'.split(' ')
  const covered = [...named, '@query-param;name="a b"']
  const target = '/hook?a%20b=1&c'
  const bad = () => service.sign({ scheme: 'rfc9421', target, covered })
  // a name is written as it is encoded
  expect(bad).toThrow(/cannot be signed/)
  covered[6] = '@query-param;name="a%20b"'
  const request = service.sign({ scheme: 'rfc9421', target, covered })
  expect(await verify(request)).toMatchObject({ status: 'verified', coveredHeaders: covered })
  expect(() => service.sign({ scheme: 'rfc9421', covered: ['Host'] })).toThrow('cannot be signed')
})

test.each([
  ['verified', {}],
  ['another target', { target: '/other' }],
  ['another body', { body: '{}' }]
])('captures a request: %s', async (_, change) => {
  const signed = service.sign({
    scheme: 'rfc9421',
    body: BODY,
    target: '/hook?id=42',
    headers: { 'X-Extra': 'e' },
    covered: '@method @request-target @authority date x-brand-id content-digest x-extra;bs'.split(' ')
  })
  const request = { ...withHeaders(signed, { 'X-Secret': 'hush' }), ...change }
  const verdict = await verify(request)
  const options = { ...service.options, schemes: [rfc9421] }
  const document = captureFixture(request, verdict, { options, dns: service.records, redact: true })
  expect(document.vectors[0]!.options).toMatchObject({ schemes: ['rfc9421'] })
  expect(JSON.stringify(document)).not.toContain('hush')

  const fixture = readFixture(JSON.stringify(document))
  const again = await createVerifier(fixture.options as VerifierOptions)(fixture.request)
  expect([again.status, failuresOf(again)]).toEqual([verdict.status, failuresOf(verdict)])
})
