import { afterEach, describe, expect, test } from 'vitest'
import {
  createVerifier,
  parseDigestHeader,
  parseKeyRecord,
  parseSignatureHeader,
  type Verdict,
  type VerifierOptions
} from '../../../src/index.ts'
import { parseContentDigest, parseSignatures } from '../../../src/standards/rfc9421/index.ts'
import { service } from '../../support/service.ts'
import { loadVectors } from '../../support/vectors.ts'

const vectors = loadVectors()

/** Changes everything that can be changed in what was handed out. */
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
    for (const { name, options, request } of vectors) {
      const verify = createVerifier({ ...options, replayStore: options.replayStore } as VerifierOptions)
      const again = () => ({
        ...request,
        body: request.body instanceof Uint8Array ? request.body.slice() : request.body
      })
      // A stream can be read once.
      if (request.body !== null && typeof request.body === 'object' && !(request.body instanceof Uint8Array)) continue
      const first = await verify(again())
      const before = structuredClone(first)
      spoil(first)
      const second = await verify(again())
      if (second.status === 'verified' || before.status === 'verified') continue
      expect(second, name).toEqual(before)
    }
  })

  test('changes no later verdict of a verified request', async () => {
    const verify = createVerifier(service.options)
    const request = service.sign({ body: '{}' })
    const first = await verify(request)
    const before = structuredClone(first)
    expect(before).toMatchObject({ status: 'verified', checks: { date: { outcome: 'pass' } } })
    spoil(first)
    expect(await verify({ ...request, body: '{}' })).toEqual(before)
  })

  test('changes no setting: hosts, accounts and algorithms are copies', async () => {
    const hosts = ['receiver.example']
    const accounts = ['1234']
    const verify = createVerifier({ ...service.options, hosts, accounts })
    for (const change of [{ host: 'other.example' }, { headers: { 'X-Service-ID': 'account-99' } }]) {
      spoil(await verify(service.sign(change)))
      expect((await verify(service.sign())).status).toBe('verified')
    }
    expect([hosts, accounts]).toEqual([['receiver.example'], ['1234']])
  })

  test('has no effect when made to the options after createVerifier', async () => {
    const hosts = ['receiver.example']
    const verify = createVerifier({ ...service.options, hosts })
    hosts[0] = 'other.example'
    expect((await verify(service.sign())).status).toBe('verified')
  })
})

describe('the body of a verdict', () => {
  test('is not a view of a shared buffer', async () => {
    const verify = createVerifier(service.options)
    const secret = Buffer.from('a neighbour in the pool of small buffers')
    const requests = Array.from({ length: 20 }, (_, i) =>
      service.sign({ method: 'POST', body: Buffer.from(`{"n":${i}}`) })
    )
    const verdicts = await Promise.all(requests.map(verify))
    for (const verdict of verdicts) {
      if (verdict.status !== 'verified') throw new Error('not verified')
      expect(verdict.body.buffer.byteLength).toBe(verdict.body.length)
      expect(Object.getPrototypeOf(verdict.body)).toBe(Uint8Array.prototype)
    }
    // All that a clone carries: no bytes but those of the bodies.
    const bytes = structuredClone(verdicts).flatMap(verdict =>
      verdict.status === 'verified' ? [Buffer.from(verdict.body.buffer).toString('latin1')] : []
    )
    expect(bytes).toEqual(requests.map((_, i) => `{"n":${i}}`))
    expect(bytes.join()).not.toContain(secret.toString())
  })
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
  const judge = async (request = service.sign()): Promise<Verdict> => createVerifier({ ...service.options })(request)

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
    const verdict = await judge(signed)
    expect(verdict.failures.map(failure => failure.code)).toEqual([code])
  })

  test.each([
    ['serviceDomain', 'attacker.example'],
    ['hosts', 'attacker.example'],
    ['accounts', () => true]
  ])('does not replace a required option: %s', (name, value) => {
    const { [name as 'hosts']: _, ...rest } = service.options
    pollute(name, value)
    expect(() => createVerifier(rest as VerifierOptions)).toThrow(`${name} is undefined`)
  })

  test('adds no cause to a failure', async () => {
    pollute('cause', 'polluted')
    const verdict = await judge({ ...service.sign(), https: false })
    expect(Object.hasOwn(verdict.failures[0]!, 'cause')).toBe(false)
  })

  test('does not turn a failed check into one that was not run', async () => {
    pollute('reason', 'polluted')
    const verdict = await judge({ ...service.sign(), https: false })
    expect(verdict.checks.https).toMatchObject({ outcome: 'fail', code: 'not-https' })
  })
})
