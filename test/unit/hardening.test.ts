import { constants, generateKeyPairSync, sign } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import {
  createVerifier,
  fromLambdaEvent,
  fromNodeRequest,
  importPublicKey,
  parseDigestHeader,
  parseKeyRecord,
  verifySignature
} from '../../src/index.ts'
import { memoryReplayStore } from '../../src/replay/index.ts'
import { linesOf, service } from '../support/service.ts'
import { failuresOf } from '../support/verdicts.ts'

test('rejects as too old a request whose body arrives so slowly that its id would be forgotten', async () => {
  let now = Date.now()
  const replayStore = memoryReplayStore()
  const verify = createVerifier({ ...service.options, dateTolerance: 300, replayStore, now: () => now })
  const request = service.sign({ body: '{}', date: now })
  expect((await verify(request)).status).toBe('verified')

  async function* stalled() {
    yield Buffer.from('{')
    now += 302_000
    yield Buffer.from('}')
  }
  const verdict = await verify({ ...request, body: stalled() })
  expect(failuresOf(verdict)).toEqual(['date: date-too-old'])
  expect(verdict.checks.replay).toEqual({ outcome: 'not-run', reason: 'the request became too old' })
})

test('a PSS signature has one length: without its leading zero it would be the same one under another id', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const der = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const record = parseKeyRecord(`v=DKIM1; k=rsa; p=${der}`)
  const key = record.ok ? importPublicKey(record.value) : record
  if (!key.ok) throw new Error(key.code)

  const padding = constants.RSA_PKCS1_PSS_PADDING
  let signature: Buffer
  do signature = sign('sha512', Buffer.from('text'), { key: privateKey, padding, saltLength: 32 })
  while (signature[0] !== 0)
  expect(verifySignature('text', signature, key.value, 'hs2019')).toBe(true)
  expect(verifySignature('text', signature, key.value, 'HS2019')).toBe(true)
  expect(verifySignature('text', signature.subarray(1), key.value, 'hs2019')).toBe(false)
})

test('a verdict equals its clone, and its body is not copied', async () => {
  const verify = createVerifier(service.options)
  for (const body of ['{}', Buffer.from('{}'), Buffer.alloc(10_000, 'x'), null]) {
    const verdict = await verify(service.sign({ body }))
    expect(structuredClone(verdict)).toStrictEqual(verdict)
    if (verdict.status === 'verified') expect(verdict.body.constructor).toBe(Uint8Array)
  }
  const large = Buffer.alloc(10_000, 'x')
  const verdict = await verify({ ...service.sign({ body: large }), body: large })
  expect(verdict.status === 'verified' && verdict.body.buffer).toBe(large.buffer)
})

test('a digest of the pure step is a plain Uint8Array', () => {
  const value = [{ algorithm: 'md5', value: Uint8Array.of(0, 1, 2) }]
  expect(parseDigestHeader('MD5=AAEC')).toStrictEqual({ ok: true, value })
})

test('treats an error that throws when it is inspected like any other', async () => {
  const hostile = Object.defineProperty({}, 'code', { get: () => expect.fail('no') })
  const verify = createVerifier({ ...service.options, lookupTxt: () => Promise.reject(hostile) })
  expect(failuresOf(await verify(service.sign()))).toEqual(['key: key-lookup-failed'])
})

test('accepts mock requests of node:http', async () => {
  const verify = createVerifier(service.options)
  const signed = service.sign({ method: 'POST', target: '/hook', body: '{}' })
  const plain = { method: 'POST', url: '/hook', rawHeaders: linesOf(signed).flat(), socket: { encrypted: true } }
  const { socket, ...message } = plain
  const pushed = Object.assign(new IncomingMessage(new Socket()), message)
  pushed.push('{}')
  pushed.push(null)
  expect((await verify(fromNodeRequest(pushed, { https: true }))).status).toBe('verified')

  const iterable = {
    ...plain,
    [Symbol.asyncIterator]: () => Readable.from([Buffer.from('{}')])[Symbol.asyncIterator]()
  }
  expect((await verify(fromNodeRequest(iterable as never))).status).toBe('verified')
  expect(fromNodeRequest(plain as never).body).toBeNull()
})

test('accepts a Lambda event with empty fields of the other form, or with only the needed ones', () => {
  const lists = { multiValueHeaders: {}, multiValueQueryStringParameters: {}, requestContext: null }
  const singles = { headers: { Host: 'h' }, queryStringParameters: { b: '1' } }
  const v1 = fromLambdaEvent({ httpMethod: 'GET', path: '/a', ...singles, ...lists } as never)
  expect(v1).toMatchObject({ target: '/a?b=1', headers: [['Host', 'h']] })
  const v2 = { rawPath: '/a', rawQueryString: 'b=%2F', headers: {}, requestContext: { http: { method: 'GET' } } }
  expect(fromLambdaEvent(v2)).toMatchObject({ method: 'GET', target: '/a?b=%2F' })
})
