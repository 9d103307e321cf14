import { createPublicKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createVerifier, type ReceivedRequest } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'

const headerOf = (request: ReceivedRequest, name: string): string | undefined =>
  [...(request.headers as [string, string][])].find(([each]) => each.toLowerCase() === name)?.[1]

describe('the test service', () => {
  it('signs the list of the specification, in its mixed case, of what is there', () => {
    const service = createTestService()
    expect(headerOf(service.sign({ body: '{}' }), 'signature')).toContain(
      'headers="(request-target) Host Date Content-length Content-type X-Service-ID Digest X-nonce"'
    )
    expect(headerOf(service.sign(), 'signature')).toContain(
      'headers="(request-target) Host Date X-Service-ID Digest X-nonce"'
    )
  })

  it('takes method, target, host, body, headers, date and covered from the caller', async () => {
    const service = createTestService({
      serviceDomain: 'brand.example',
      accountId: 'a-7',
      accountHeader: 'X-Brand-ID'
    })
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

  it('publishes keys of the asked length in chunks of at most 255 characters', () => {
    const [[record]] = Object.values(createTestService({ rsaBits: 4096 }).records) as [[string[]]]
    expect(record.every(chunk => chunk.length <= 255)).toBe(true)
    const der = Buffer.from(record.join('').split('p=')[1]!, 'base64')
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    expect(key.asymmetricKeyDetails?.modulusLength).toBe(4096)
  })

  it('answers as DNS does for a name it does not have', async () => {
    const { lookupTxt } = createTestService({ rsaBits: 1024 })
    const signal = new AbortController().signal
    for (const name of ['nothing.example', '__proto__', 'constructor']) {
      await expect(lookupTxt(name, { signal })).rejects.toMatchObject({ code: 'ENOTFOUND' })
    }
  })

  it('does not sign what cannot be signed', () => {
    const service = createTestService({ rsaBits: 1024 })
    expect(() => service.sign({ covered: ['X-Absent'] })).toThrow(TypeError)
    expect(() => service.sign({ headers: { 'X-A': 'a\nb' } })).toThrow(TypeError)
  })
})
