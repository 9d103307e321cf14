import { describe, expect, test } from 'vitest'
import { rootOf, situationOf } from '../../../../src/core/verdict/main-failure.ts'
import { createVerifier, diagnose, type Failure, mainFailure, type ReceivedRequest } from '../../../../src/index.ts'
import { rfc9421 } from '../../../../src/rfc9421/index.ts'
import { service, withHeaders, withSignature } from '../../../support/service.ts'

const codeOf = async (request: ReceivedRequest, options = {}) =>
  mainFailure(await createVerifier({ ...service.options, ...options })(request))?.code

const SCANNER = { method: 'POST', target: '/', headers: [['Host', 'x']], body: null, https: false } as const

test('an unsigned request over HTTP to another host has signature-missing as its main failure', async () => {
  expect(await codeOf(SCANNER)).toBe('signature-missing')
})

test('a request that lacks only its Signature, over HTTP, has not-https as its main failure', async () => {
  expect(await codeOf({ ...withHeaders(service.sign(), { Signature: undefined }), https: false })).toBe('not-https')
})

test('a signature in Authorization does not pass for an unsigned request', async () => {
  const headers = [...SCANNER.headers, ['Authorization', 'Signature keyId="a"'] as const]
  expect(await codeOf({ ...SCANNER, headers })).toBe('not-https')
})

test('a key outside the domain is the main failure, whatever else fails', async () => {
  const forged = withSignature(service.sign(), value => value.replace('.service.example', '.evil.example'))
  expect(await codeOf({ ...forged, https: false }, { hosts: 'other.example' })).toBe('key-name-outside-domain')
  const verdict = await createVerifier(service.options)({ ...forged, https: false })
  expect(diagnose(verdict).failures.map(({ code }) => code)).toEqual(['key-name-outside-domain', 'not-https'])
})

test('a verified request has no main failure', async () => {
  expect(await codeOf(service.sign())).toBeUndefined()
})

test('a failure that follows from another is not the main one: a header that is covered and was removed', async () => {
  expect(await codeOf(withHeaders(service.sign(), { 'X-Service-ID': undefined }))).toBe('account-missing')
  expect(await codeOf(withHeaders(service.sign(), { Digest: undefined }))).toBe('digest-missing')
})

test('a request that is signed by the other standard has signature-missing as its main failure', async () => {
  const request = withHeaders(service.sign(), { Date: undefined })
  expect(await codeOf(request, { schemes: [rfc9421] })).toBe('signature-missing')
})

test('by the other standard, what is missing follows from that; by a broken signature, it does not', async () => {
  const other = withHeaders(service.sign({ scheme: 'rfc9421' }), { Date: undefined })
  expect(await codeOf(other)).toBe('signature-malformed')
  const broken = withHeaders(service.sign(), { Date: undefined, Signature: 'keyId="a' })
  expect(await codeOf(broken)).toBe('date-missing')
})

test.each(['Digest', 'X-Service-ID'])(
  'a request without a signature that has %s is not an unsigned one',
  async kept => {
    const names = ['Signature', 'Digest', 'X-Service-ID'].filter(name => name !== kept)
    const request = withHeaders(service.sign(), Object.fromEntries(names.map(name => [name, undefined])))
    expect(await codeOf({ ...request, https: false })).toBe('not-https')
  }
)

describe('a failure of the covered headers', () => {
  const rootIn = (failures: readonly Failure[]) => rootOf(failures[0]!, failures, situationOf(failures))
  const failure = (code: string, check: string, evidence: object) => ({ code, check, evidence }) as unknown as Failure
  const absent = (...names: string[]) => failure('coverage-absent', 'coverage', { absent: names })
  const digest = failure('digest-missing', 'digest', { header: 'Digest' })

  test('follows from the failures of all these headers, and is named by the first', () => {
    const account = failure('account-malformed', 'account', { header: 'x-service-id' })
    expect(rootIn([absent('digest'), digest])).toBe('digest-missing')
    expect(rootIn([absent('x-service-id', 'digest'), digest, account])).toBe('account-malformed')
    const host = failure('host-missing', 'host', {})
    for (const name of ['@authority', '@target-uri', 'host']) expect(rootIn([absent(name), host])).toBe('host-missing')
    expect(rootIn([failure('coverage-insufficient', 'coverage', { missing: ['digest'] }), digest])).toBe(
      'digest-missing'
    )
  })

  test('follows from none where one of the headers has no failure, or another one than to be missing', () => {
    expect(rootIn([absent('digest', 'content-type'), digest])).toBeUndefined()
    expect(rootIn([absent('content-type', 'digest'), digest])).toBeUndefined()
    expect(rootIn([absent('date'), failure('date-too-old', 'date', {})])).toBeUndefined()
    expect(rootIn([absent('account'), failure('account-mismatch', 'account', { header: 'account' })])).toBeUndefined()
  })
})

test('throws a TypeError for a verdict that was not awaited', () => {
  expect(() => mainFailure(createVerifier(service.options)(service.sign()) as never)).toThrow('an await is missing')
})
