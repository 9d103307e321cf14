import { createPublicKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createVerifier, fromFetchRequest, fromLambdaEvent, type ReceivedRequest } from '../../../src/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import { createSigningKey, signRequest } from '../../../src/testing/sign.ts'
import { linesOf, service } from '../../support/service.ts'

const headerOf = (request: ReceivedRequest, name: string): string | undefined =>
  linesOf(request).find(([header]) => header.toLowerCase() === name)?.[1]

describe('a mistake in a test', () => {
  test.each<[options: object, message: string]>([
    [{ path: '/hook' }, 'sign() has no option "path": its options are method, target'],
    [{ tarqet: '/hook' }, 'sign() has no option "tarqet": write target'],
    [{ target: 'hook' }, 'target is "hook": pass path and query as they are sent, such as target: "/hook?id=1"'],
    [{ target: 'https://a.example/hook' }, 'target is "https://a.example/hook"'],
    [{ target: '' }, 'target is ""'],
    [{ target: 1 }, 'target is the number 1'],
    [{ body: { id: 1 } }, 'body is an object: pass the bytes or the text to send, such as body: JSON.stringify(value)'],
    [{ body: [1] }, 'body is an array'],
    [{ method: 1 }, 'method is the number 1: pass a string, such as method: "POST"'],
    [{ host: null }, 'host is null: pass a string'],
    [{ headers: 'X: 1' }, 'headers is a string: pass an object of names and strings, or pairs'],
    [{ headers: () => ({}) }, 'headers is a function (is a call missing?)'],
    [{ headers: { 'X-Count': 1 } }, 'yields the number 1 for "X-Count"'],
    [{ headers: [['X-Count', null]], scheme: 'rfc9421' }, 'yields null for "X-Count"'],
    [{ date: new Date(Number.NaN) }, 'date is an object: pass a Date, milliseconds since 1970 or text'],
    [{ covered: 'host date' }, 'covered is a string: pass an array of names'],
    [{ scheme: 'rfc' }, 'scheme is "rfc": pass "draft-cavage" or "rfc9421"']
  ])('sign(%o) throws a TypeError that says what to write', (options, message) => {
    expect(() => service.sign(options)).toThrow(TypeError)
    expect(() => service.sign(options)).toThrow(message)
  })

  test.each<[options: object, message: string]>([
    [{ domain: 'a.example' }, 'createTestService() has no option "domain": its options are serviceDomain, accountId'],
    [{ serviceDomain: 'com' }, 'serviceDomain is "com": write the domain'],
    [{ accountId: 1234 }, 'accountId is the number 1234: an account id is a non-empty string, such as "1234"'],
    [{ accountId: '' }, 'accountId is ""'],
    [{ accountHeader: 'X: Y' }, 'accountHeader has "X: Y": write the name of a header'],
    [{ rsaBits: '2048' }, 'rsaBits is a string: pass a number of bits, at least 512']
  ])('createTestService(%o) throws a TypeError that says what to write', (options, message) => {
    expect(() => createTestService(options)).toThrow(TypeError)
    expect(() => createTestService(options)).toThrow(message)
  })

  test('takes own properties only', () => {
    const polluted = Object.create({ target: '/polluted' })
    expect(service.sign(polluted).target).toBe('/')
  })
})

describe('a signed request in the form of each framework', () => {
  const verify = createVerifier(service.options)
  const signed = service.sign({ method: 'POST', target: '/hook?id=1', body: '{"id":1}' })

  test('a signed request can be passed to new Request()', async () => {
    const request = new Request(`https://receiver.example${signed.target}`, signed)
    expect(await verify(fromFetchRequest(request))).toMatchObject({ status: 'verified' })
  })

  test('a signed request can be made an event of a Lambda function, in one line', async () => {
    const { method, target, headers, body } = signed
    const event = {
      httpMethod: method,
      path: target,
      headers: Object.fromEntries(headers),
      body: Buffer.from(body).toString('base64'),
      isBase64Encoded: true
    }
    expect(await verify(fromLambdaEvent(event))).toMatchObject({ status: 'verified' })
  })

  test('keeps what was signed when the given bytes change', async () => {
    const body = Buffer.from('{"id":1}')
    const request = service.sign({ body })
    body.fill(0)
    expect(await verify(request)).toMatchObject({ status: 'verified' })
  })
})

describe('the test service', () => {
  test('signs the headers of the list of the specification that are present, in its mixed case', () => {
    expect(headerOf(service.sign({ body: '{}' }), 'signature')).toContain(
      'headers="(request-target) Host Date Content-length Content-type X-Service-ID Digest X-nonce"'
    )
    expect(headerOf(service.sign(), 'signature')).toContain(
      'headers="(request-target) Host Date X-Service-ID Digest X-nonce"'
    )
  })

  test('takes method, target, host, body, headers, date and covered from the caller', async () => {
    const names = { serviceDomain: 'brand.example', accountId: 'a-7', accountHeader: 'X-Brand-ID' }
    const service = createTestService({ ...names, rsaBits: 1024 })
    const date = new Date('2026-11-20T12:00:00Z')
    const request = service.sign({
      method: 'PUT',
      target: '/a%2Fb?c',
      host: 'other.example',
      body: Uint8Array.of(0xff, 0xfe),
      headers: { 'content-type': 'application/octet-stream', 'X-Nonce': undefined, 'X-Extra': 'é' },
      date,
      covered: ['(request-target)', 'host', 'date', 'x-brand-id', 'digest', 'x-extra']
    })
    expect(request).toMatchObject({ method: 'PUT', target: '/a%2Fb?c', https: true })
    expect(headerOf(request, 'date')).toBe('Fri, 20 Nov 2026 12:00:00 GMT')
    expect(headerOf(request, 'x-brand-id')).toBe('account-a-7')
    expect(headerOf(request, 'content-type')).toBe('application/octet-stream')
    expect(headerOf(request, 'x-nonce')).toBeUndefined()

    const verify = createVerifier({ ...service.options, hosts: 'other.example', now: () => date.getTime() })
    expect(await verify(request)).toMatchObject({ status: 'verified', accountId: 'a-7' })
    const pairs = service.sign({ host: 'other.example', headers: [['X-Nonce', 'n']], date: date.getTime() })
    expect(await verify(pairs)).toMatchObject({ status: 'verified', nonce: 'n' })
  })

  test('publishes keys of the given length in chunks of at most 255 characters', () => {
    const [[record]] = Object.values(createTestService({ rsaBits: 1536 }).records) as [[string[]]]
    expect(record.map(chunk => chunk.length)).toEqual([255, expect.any(Number)])
    const der = Buffer.from(record.join('').split('p=')[1]!, 'base64')
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    expect(key.asymmetricKeyDetails?.modulusLength).toBe(1536)
  })

  test('the test service has a key of 1024 bits that no other service has', () => {
    const keys = Array.from({ length: 8 }, () => Object.values(createTestService().records).flat(2).join(''))
    expect(new Set(keys).size).toBe(8)
    for (const key of keys) {
      const der = Buffer.from(key.split('p=')[1]!, 'base64')
      expect(createPublicKey({ key: der, format: 'der', type: 'spki' }).asymmetricKeyDetails?.modulusLength).toBe(1024)
    }
  })

  test('answers as DNS does for a name it does not have', async () => {
    const { signal } = new AbortController()
    for (const name of ['nothing.example', '__proto__', 'constructor']) {
      await expect(service.lookupTxt(name, { signal })).rejects.toMatchObject({ code: 'ENOTFOUND' })
    }
  })

  test('signs the names that a caller adds, each once, and none that is absent', () => {
    const key = createSigningKey('a.service.example', 1024)
    const context = { host: 'a.example', account: ['X-Service-ID', 'account-1'] } as const
    const alsoCovered = ['x-nonce', 'X-Extra', 'X-Absent']
    const request = signRequest({ headers: { 'X-Extra': 'e' } }, key, { ...context, alsoCovered })
    expect(headerOf(request, 'signature')).toContain(
      'headers="(request-target) Host Date X-Service-ID Digest X-nonce X-Extra"'
    )
  })

  test('rejects what cannot be signed', () => {
    expect(() => service.sign({ covered: ['X-Absent'] })).toThrow(TypeError)
    expect(() => service.sign({ headers: { 'X-A': 'a\nb' } })).toThrow(TypeError)
  })
})

test.each([
  [undefined, 'GET', false],
  [null, 'GET', false],
  ['', 'POST', true],
  ['{}', 'POST', true]
])('a request with the body %j is sent with %s, and says its length: %s', (body, method, hasLength) => {
  const request = service.sign({ body })
  expect([request.method, headerOf(request, 'content-length') !== undefined]).toEqual([method, hasLength])
})
