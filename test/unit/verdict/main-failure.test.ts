import { expect, test } from 'vitest'
import { createVerifier, mainFailure, type ReceivedRequest } from '../../../src/index.ts'
import { rfc9421 } from '../../../src/standards/rfc9421/index.ts'
import { service, withHeaders } from '../../support/service.ts'

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

test('throws a TypeError for a verdict that was not awaited', () => {
  expect(() => mainFailure(createVerifier(service.options)(service.sign()) as never)).toThrow('an await is missing')
})
