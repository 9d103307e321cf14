import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { RFC9421_EXAMPLES } from '../../../../../fixtures/source/files/rfc9421-examples.ts'
import { type PublicKey, verifySignature } from '../../../../../src/index.ts'
import { buildSignatureBase, parseSignatureInput, parseSignatures } from '../../../../../src/rfc9421/index.ts'

const { keys, vectors }: typeof RFC9421_EXAMPLES = JSON.parse(
  readFileSync(new URL('../../../../../fixtures/rfc9421-examples.json', import.meta.url), 'utf8')
)

function readKey(keyId: string): PublicKey {
  const spki = keys[keyId as keyof typeof keys]
  const keyObject = createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' })
  const type = keyId === 'test-key-ecc-p256' ? 'p256' : keyId === 'test-key-ed25519' ? 'ed25519' : 'rsa'
  return { type, bits: keyObject.asymmetricKeyDetails?.modulusLength ?? 256, keyObject }
}

/** Runs the pure steps, from headers to a yes or no. */
function read({ request, label }: (typeof vectors)[number]) {
  const headers = new Map(request.headers as [string, string][])
  const inputs = parseSignatureInput(headers.get('Signature-Input')!)
  const signatures = parseSignatures(headers.get('Signature')!)
  if (!inputs.ok || !signatures.ok) throw new Error('the headers cannot be parsed')
  const input = inputs.value.find(input => input.label === label)!
  return { input, signature: signatures.value.get(label)!, key: readKey(input.keyId!) }
}

const changedByte = (text: string, at: number): string =>
  text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1)

describe.each(vectors)('$source, $label', vector => {
  const { request, signatureBase, algorithm } = vector
  const { input, signature, key } = read(vector)

  test('an example of RFC 9421 has this signature base, byte for byte', () => {
    expect(buildSignatureBase(request as Parameters<typeof buildSignatureBase>[0], input)).toEqual({
      ok: true,
      value: signatureBase
    })
  })

  test('an example of RFC 9421 verifies', () =>
    expect(verifySignature(signatureBase, signature, key, algorithm)).toBe(true))

  test('no example verifies with any byte of the base or the signature changed, one less or one more', () => {
    const verify = (base: string, bytes: Uint8Array) => verifySignature(base, bytes, key, algorithm)
    for (let at = 0; at < signatureBase.length; at++) {
      expect(verify(changedByte(signatureBase, at), signature)).toBe(false)
    }
    for (let at = 0; at < signature.length; at++) {
      const changed = Uint8Array.from(signature, (byte, index) => (index === at ? byte ^ 1 : byte))
      expect(verify(signatureBase, changed)).toBe(false)
    }
    for (const other of [signature.subarray(1), Buffer.concat([signature, Buffer.of(0)]), new Uint8Array(0)]) {
      expect(verify(signatureBase, other)).toBe(false)
    }
  })

  test('no example verifies as another algorithm', () => {
    const others = ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'ed25519', 'ecdsa-p256-sha256', 'rsa-sha512', 'none', '']
    for (const other of others.filter(name => name !== algorithm)) {
      expect(verifySignature(signatureBase, signature, key, other)).toBe(false)
    }
  })
})

test('the examples have every algorithm', () => {
  expect(new Set(vectors.map(({ algorithm }) => algorithm))).toEqual(
    new Set(['rsa-v1_5-sha256', 'rsa-pss-sha512', 'ed25519', 'ecdsa-p256-sha256'])
  )
})
