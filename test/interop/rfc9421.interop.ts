import { createPublicKey, type KeyObject, webcrypto as nodeCrypto, sign, verify } from 'node:crypto'
import * as sig from 'http-message-sig'
import { createSigner, createVerifier as createTheirVerifier, httpbis } from 'http-message-signatures'
import { describe, expect, test } from 'vitest'
import { createVerifier, type ReceivedRequest, type VerifierOptions } from '../../src/index.ts'
import { buildSignatureBase, parseSignatureInput } from '../../src/standards/rfc9421/index.ts'
import {
  type Algorithm,
  BODY,
  contentDigest,
  HOST,
  KEY_ID,
  type Line,
  OPTIONS,
  PRIVATE_KEYS,
  signText
} from '../support/rfc9421.ts'
import { service } from '../support/service.ts'
import { failuresOf } from '../support/verdicts.ts'

/**
 * Two implementations from npm against ours, both ways. `http-message-signatures` reads URLs and computes with
 * node:crypto, `http-message-sig` reads descriptors and computes with WebCrypto.
 */

const ALGORITHMS = ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'ed25519'] as const
const keyTypeOf = (algorithm: Algorithm) => (algorithm === 'ed25519' ? 'ed25519' : 'rsa')
const TARGET = '/hook/%7Eme?id=42&q=a%20b'
const URL_ = `https://${HOST}${TARGET}`
const HEADERS = {
  Host: HOST,
  Date: new Date().toUTCString(),
  'X-Service-ID': 'account-1234',
  'Content-Type': 'application/json',
  'Content-Digest': contentDigest(BODY),
  'X-Dict': 'a=1, b=(x   y);q=0.5, c'
}

const COVERED: Readonly<Record<string, readonly string[]>> = {
  'the request-target': '@method @request-target @authority date x-service-id content-digest'.split(' '),
  'path and query': 'date @path @query @scheme @method host content-type x-service-id content-digest'.split(' '),
  'the target URI': ['@target-uri', 'content-digest', 'x-service-id', '@authority', '@method'],
  'members of a dictionary': [
    '@method',
    '@target-uri',
    '@authority',
    'x-service-id',
    'content-digest',
    'x-dict;key="a"',
    'x-dict;key="b"',
    'x-dict;key="c"'
  ]
}
const CASES = ALGORITHMS.flatMap(algorithm =>
  Object.entries(COVERED).map(([name, covered]) => [algorithm, name, covered] as const)
)

const received = (headers: Readonly<Record<string, unknown>>): ReceivedRequest => ({
  method: 'POST',
  target: TARGET,
  headers: headers as Record<string, string>,
  body: BODY,
  https: true
})
const judge = (request: ReceivedRequest, options: Partial<VerifierOptions> = {}) =>
  createVerifier({ ...OPTIONS, now: Date.now, dateTolerance: 86_400, ...options })(request)

const quoted = (covered: string) => covered.replace(/^[^;]*/, '"$&"')

/** Signed over the signature base that our pure step builds. */
function signedByUs(algorithm: Algorithm, covered: readonly string[]): Record<string, string> {
  const created = Math.floor(Date.now() / 1000)
  const keyId = KEY_ID[keyTypeOf(algorithm)]
  const input = `us=(${covered.map(quoted).join(' ')});created=${created};keyid="${keyId}";alg="${algorithm}"`
  const parsed = parseSignatureInput(input)
  const base = parsed.ok
    ? buildSignatureBase({ method: 'POST', target: TARGET, headers: HEADERS, https: true }, parsed.value[0]!)
    : parsed
  if (!base.ok) throw new Error(base.code)
  const signature = signText(base.value, algorithm).toString('base64')
  return { ...HEADERS, 'Signature-Input': input, Signature: `us=:${signature}:` }
}

describe('http-message-signatures', () => {
  const theirSigner = (algorithm: Algorithm) => {
    const id = KEY_ID[keyTypeOf(algorithm)]
    // Its own signer for rsa-pss-sha512 takes the longest salt there is; section 3.3.1 says 64 bytes.
    if (algorithm === 'rsa-pss-sha512')
      return { id, alg: algorithm, sign: async (data: Buffer) => signText(data.toString('latin1'), algorithm) }
    return createSigner(PRIVATE_KEYS[keyTypeOf(algorithm)], algorithm, id)
  }

  test.each(CASES)('signs with %s over %s, and we verify', async (algorithm, _, fields) => {
    const signed = await httpbis.signMessage(
      { key: theirSigner(algorithm), fields: fields.map(quoted), paramValues: { nonce: 'n-1' } },
      { method: 'POST', url: URL_, headers: HEADERS }
    )
    expect(await judge(received(signed.headers))).toMatchObject({ status: 'verified', algorithm })
  })

  test.each(CASES)('verifies what we signed with %s over %s', async (algorithm, _, covered) => {
    const key = createPublicKey(PRIVATE_KEYS[keyTypeOf(algorithm)]).export({ type: 'spki', format: 'pem' })
    const keyLookup = async () => ({ algs: [algorithm], verify: createTheirVerifier(key, algorithm) })
    const headers = signedByUs(algorithm, covered)
    const request = { method: 'POST', url: URL_, headers }
    expect(await httpbis.verifyMessage({ keyLookup, all: true }, request)).toBe(true)
    const other = { ...request, method: 'PUT' }
    expect(await httpbis.verifyMessage({ keyLookup, all: true }, other)).toBe(false)
  })

  test('with its own salt for rsa-pss-sha512 does not sign by the RFC', async () => {
    const signed = await httpbis.signMessage(
      {
        key: createSigner(PRIVATE_KEYS.rsa, 'rsa-pss-sha512', KEY_ID.rsa),
        fields: COVERED['the target URI']!.map(quoted)
      },
      { method: 'POST', url: URL_, headers: HEADERS }
    )
    expect(failuresOf(await judge(received(signed.headers)))).toEqual(['signature: signature-mismatch'])
  })
})

describe('http-message-sig', () => {
  const message = (headers: Readonly<Record<string, string>>): sig.RequestDescriptor => ({
    kind: 'request',
    method: 'POST',
    targetUri: URL_,
    requestTarget: TARGET,
    fields: Object.entries(headers).map(([name, value]) => ({ name, value }))
  })
  const components = (covered: readonly string[]) =>
    covered.map(each => {
      const [name = '', key] = each.split(/;key="(.*)"/)
      return key === undefined ? name : sig.component(name, { key })
    })

  /** It has no rsa-v1_5-sha256 of its own; the rest is WebCrypto's. */
  function importKey(algorithm: Algorithm, key: KeyObject) {
    const parameters = algorithm === 'ed25519' ? { name: 'Ed25519' } : { name: 'RSA-PSS', hash: { name: 'SHA-512' } }
    const { subtle } = nodeCrypto
    return key.type === 'private'
      ? subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), parameters, false, ['sign'])
      : subtle.importKey('spki', key.export({ type: 'spki', format: 'der' }), parameters, false, ['verify'])
  }
  async function theirSigner(algorithm: Algorithm): Promise<sig.Signer> {
    const key = PRIVATE_KEYS[keyTypeOf(algorithm)]
    if (algorithm === 'rsa-v1_5-sha256') return { algorithm, sign: data => sign('sha256', data, key) }
    return sig.webcrypto.signer(await importKey(algorithm, key))
  }
  async function theirVerifier(algorithm: Algorithm): Promise<sig.Verifier> {
    const key = createPublicKey(PRIVATE_KEYS[keyTypeOf(algorithm)])
    if (algorithm === 'rsa-v1_5-sha256')
      return { algorithm, verify: (data, signature) => verify('sha256', data, key, signature) }
    return sig.webcrypto.verifier(await importKey(algorithm, key))
  }

  test.each(CASES)('signs with %s over %s, and we verify', async (algorithm, _, covered) => {
    const { signature, signatureInput } = await sig.createSignature(message(HEADERS), {
      components: components(covered),
      parameters: {
        keyid: KEY_ID[keyTypeOf(algorithm)],
        created: Math.floor(Date.now() / 1000),
        tag: 'hook',
        alg: algorithm
      },
      signer: await theirSigner(algorithm)
    })
    const request = received({ ...HEADERS, signature, 'signature-input': signatureInput })
    expect(await judge(request)).toMatchObject({ status: 'verified', algorithm })
  })

  test.each(CASES)('verifies what we signed with %s over %s', async (algorithm, _, covered) => {
    const verifier = await theirVerifier(algorithm)
    const check = (headers: Record<string, string>) =>
      sig.verifySignature(message(headers), {
        policy: {
          algorithms: [algorithm],
          requiredComponents: components(covered),
          requiredParameters: ['created', 'keyid', 'alg']
        },
        resolveVerifier: () => verifier
      })
    const headers = signedByUs(algorithm, covered)
    expect(await check(headers)).toMatchObject({ label: 'us', algorithm })
    const other = { ...headers, 'X-Service-ID': 'account-1' }
    await expect(check(other)).rejects.toThrow('Signature verification failed')
  })
})

test('both verify what the test service signs', async () => {
  const { headers } = service.sign({ scheme: 'rfc9421', body: BODY, target: TARGET })
  const lines = [...(headers as Iterable<Line>)]
  const [record] = Object.values(service.records).map(([chunks]) => chunks!.join(''))
  const der = Buffer.from(record!.replace(/.*p=/, ''), 'base64')
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  const host = lines.find(([name]) => name === 'Host')![1]

  const algorithm = 'rsa-v1_5-sha256'
  const keyLookup = async () => ({
    verify: createTheirVerifier(key.export({ type: 'spki', format: 'pem' }), algorithm)
  })
  const request = { method: 'POST', url: `https://${host}${TARGET}`, headers: Object.fromEntries(lines) }
  expect(await httpbis.verifyMessage({ keyLookup, all: true }, request)).toBe(true)
  const verified = await sig.verifySignature(
    {
      kind: 'request',
      method: 'POST',
      targetUri: request.url,
      requestTarget: TARGET,
      fields: lines.map(([name, value]) => ({ name, value }))
    },
    {
      policy: { algorithms: [algorithm], requiredComponents: ['@method'], requiredParameters: ['created'] },
      resolveVerifier: () => ({
        algorithm,
        verify: (data: Uint8Array, signature: Uint8Array) => verify('sha256', data, key, signature)
      })
    }
  )
  expect(verified).toMatchObject({ label: 'sig1' })
})
