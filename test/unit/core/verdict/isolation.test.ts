import { afterEach, describe, expect, test } from 'vitest'
import {
  createVerifier,
  parseDigestHeader,
  parseKeyRecord,
  parseSignatureHeader,
  type VerifierOptions
} from '../../../../src/index.ts'
import { parseContentDigest, parseSignatures } from '../../../../src/rfc9421/index.ts'
import { service } from '../../../support/service.ts'
import { freshVectors } from '../../../support/vectors.ts'

const verify = createVerifier(service.options)

/** Changes everything that can be changed in a result. */
function spoil(value: unknown): void {
  if (value instanceof Uint8Array) value.fill(0)
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  for (const [key, inner] of Object.entries(value)) {
    spoil(inner)
    Reflect.set(value, key, 'spoiled')
  }
  if (Array.isArray(value)) value.push('spoiled')
}

describe('a change that a receiver makes to a verdict', () => {
  test('changes no later verdict of the same verifier, for every vector', async () => {
    for (const { name, options, request } of freshVectors()) {
      const { body } = request
      // A stream can be read once.
      if (body !== null && typeof body === 'object' && !(body instanceof Uint8Array)) continue
      const verify = createVerifier(options)
      const judge = () => verify({ ...request, body: typeof body === 'object' && body ? body.slice() : body })
      const first = await judge()
      const before = structuredClone(first)
      spoil(first)
      const second = await judge()
      if (second.status !== 'verified' && before.status !== 'verified') expect(second, name).toEqual(before)
    }
  })

  test('changes no later verdict of a verified request', async () => {
    const request = service.sign({ body: '{}' })
    const first = await verify(request)
    const before = structuredClone(first)
    expect(before).toMatchObject({ status: 'verified', checks: { date: { outcome: 'pass' } } })
    spoil(first)
    expect(await verify({ ...request, body: '{}' })).toEqual(before)
  })

  test('changes no setting: hosts, accounts and algorithms are copies', async () => {
    const [hosts, accounts] = [['receiver.example'], ['1234']]
    const verify = createVerifier({ ...service.options, hosts, accounts })
    for (const change of [{ host: 'other.example' }, { headers: { 'X-Service-ID': 'account-99' } }]) {
      spoil(await verify(service.sign(change)))
      expect((await verify(service.sign())).status).toBe('verified')
    }
    expect([hosts, accounts]).toEqual([['receiver.example'], ['1234']])
  })

  test('a change to the options after createVerifier has no effect', async () => {
    const hosts = ['receiver.example']
    const verify = createVerifier({ ...service.options, hosts })
    hosts[0] = 'other.example'
    expect((await verify(service.sign())).status).toBe('verified')
  })
})

test('the body of a verdict is not a view of a shared buffer: a clone carries no bytes but its own', async () => {
  const texts = Array.from({ length: 20 }, (_, i) => `{"n":${i}}`)
  const requests = texts.map(body => ({ ...service.sign({ body }), body: Buffer.from(body) })) // views of Node's pool
  const verdicts = await Promise.all(requests.map(verify))
  const bodies = verdicts.map(verdict => verdict.status === 'verified' && verdict.body)
  expect(bodies.filter(body => Object.getPrototypeOf(body) !== Uint8Array.prototype)).toEqual([])
  const cloned = structuredClone(bodies).map(body => body && Buffer.from(body.buffer).toString('latin1'))
  expect(cloned).toEqual(texts)
})

test.each<[string, () => Uint8Array | undefined]>([
  ['Signature', () => parsedOf(parseSignatureHeader('keyId="a",signature="AAAA"')).signature],
  ['Signature of RFC 9421', () => parsedOf(parseSignatures('a=:AAAA:')).get('a')],
  ['Digest', () => parsedOf(parseDigestHeader('MD5=AAAA'))[0]?.value],
  ['Content-Digest', () => parsedOf(parseContentDigest('md5=:AAAA:'))[0]?.value],
  ['a key record', () => parsedOf(parseKeyRecord('v=DKIM1; k=ed25519; p=AAAA')).publicKey]
])('the bytes of %s are not a view of a shared buffer', (_, read) => {
  const bytes = read()!
  expect([bytes.length, bytes.buffer.byteLength]).toEqual([3, 3])
})

const parsedOf = <T>(result: { ok: true; value: T } | { ok: false }): T => {
  if (!result.ok) throw new Error('not parsed')
  return result.value
}

describe('a polluted Object.prototype', () => {
  const polluted: string[] = []
  afterEach(() => {
    for (const name of polluted.splice(0)) Reflect.deleteProperty(Object.prototype, name)
  })
  function pollute(name: string, value: unknown): void {
    polluted.push(name)
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true, enumerable: false })
  }
  const judge = (request = service.sign()) => createVerifier({ ...service.options })(request)
  const withoutHttps = () => judge({ ...service.sign(), https: false })

  test.each(['https', 'key', 'digest', 'replay'])('%s is no step that was taken', async name => {
    pollute(name, true)
    const verdict = await judge({ ...service.sign(), method: 'GET /' })
    expect(verdict).toMatchObject({ status: 'rejected', failures: [{ code: 'request-malformed' }] })
  })

  test.each([
    ['requireHttps', false, () => ({ ...service.sign(), https: false }), 'not-https'],
    ['dateTolerance', 86_400, () => service.sign({ date: new Date(Date.now() - 3_600_000) }), 'date-too-old'],
    ['maxBodyBytes', 1e9, () => service.sign({ method: 'POST', body: Buffer.alloc(10_485_761) }), 'body-too-large'],
    ['alsoCovered', ['x-other'], () => service.sign({ host: 'other.example' }), 'host-mismatch']
  ])('turns no check off and none on: %s', async (name, value, request, code) => {
    const signed = request()
    pollute(name, value)
    expect((await judge(signed)).failures.map(failure => failure.code)).toEqual([code])
  })

  test.each([
    ['serviceDomain', 'attacker.example'],
    ['hosts', 'attacker.example'],
    ['accounts', () => true]
  ])('a polluted Object.prototype does not replace a required option: %s', (name, value) => {
    const { [name as 'hosts']: _, ...rest } = service.options
    pollute(name, value)
    expect(() => createVerifier(rest as VerifierOptions)).toThrow(`${name} is undefined`)
  })

  test('adds no cause to a failure', async () => {
    pollute('cause', 'polluted')
    expect(Object.hasOwn((await withoutHttps()).failures[0]!, 'cause')).toBe(false)
  })

  test('a polluted Object.prototype does not turn a failed check into one that was not run', async () => {
    pollute('reason', 'polluted')
    expect((await withoutHttps()).checks.https).toMatchObject({ outcome: 'fail', code: 'not-https' })
  })
})
