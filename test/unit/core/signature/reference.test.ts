import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { rsaPublicKey, rsaSpki } from '../../../../fixtures/source/der.ts'
import { modulusOf, ONE } from '../../../../fixtures/source/keys.ts'
import { importPublicKey, parseKeyRecord, verifySignature } from '../../../../src/index.ts'
import { createRandom } from '../../../fuzz/random.ts'
import { type RsaNumbers, verifyEd25519 } from '../../../support/big-integer.ts'
import { mutateDer, readKey } from './mutated-der.ts'
import { type Case, ed25519Case, rsaCase } from './mutated-signatures.ts'

function judge({ record, text, signature, algorithm }: Case): boolean {
  const parsed = parseKeyRecord(record)
  const key = parsed.ok ? importPublicKey(parsed.value) : parsed
  return key.ok && verifySignature(text, Buffer.from(signature, 'base64'), key.value, algorithm)
}

function compare(makeCase: (random: ReturnType<typeof createRandom>) => Case, count: number): Map<string, number> {
  const random = createRandom(20_261_120)
  const verified = new Map<string, number>()
  for (let i = 0; i < count; i++) {
    const one = makeCase(random)
    // Versions of Node.js differ on this one: test/runtimes/reference.runtimes.ts says which.
    if (one.change === 'the neutral R') continue
    if (judge(one) !== one.verifies) expect({ ...one, library: !one.verifies }).toEqual(one)
    verified.set(one.change, (verified.get(one.change) ?? 0) + Number(one.verifies))
  }
  return verified
}

test('RSA signatures and keys, changed, verify exactly where big integers say so', () => {
  const verified = compare(rsaCase, 1000)
  expect(verified.get('nothing')).toBeGreaterThan(50)
  expect(verified.get('a bit of the signature')).toBe(0)
  expect(verified.get('another exponent')).toBeGreaterThan(1)
})

test('the numbers of a key are read from its DER, and from nothing else', () => {
  const numbers = { n: modulusOf(ONE), e: 65537n }
  const [spki, pkcs1] = [rsaSpki(numbers.n, numbers.e), rsaPublicKey(numbers.n, numbers.e)]
  expect(readKey(spki)).toEqual(numbers)
  expect(readKey(pkcs1)).toEqual(numbers)
  const random = createRandom(1)
  const read = Array.from({ length: 500 }, () => mutateDer(numbers, random)).filter(
    der => !der.equals(spki) && !der.equals(pkcs1) && isSameKey(readKey(der), numbers)
  )
  expect(read).toEqual([])
})

const isSameKey = (read: RsaNumbers | undefined, { n, e }: RsaNumbers): boolean => read?.n === n && read.e === e

test('Ed25519 signatures and keys, changed, verify exactly where big integers say so', () => {
  const verified = compare(ed25519Case, 300)
  expect(verified.get('nothing')).toBeGreaterThan(10)
  expect(verified.get('the group order added')).toBe(0)
  expect(verified.get('a key of mixed order')).toBeGreaterThan(5)
  for (const change of ['R of small order', 'R of mixed order', 'R not canonical', 'a key of small order'])
    expect({ change, verified: verified.get(change) }).toEqual({ change, verified: 0 })
})

test('the big integers verify what node:crypto signs with other keys', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  const data = Buffer.from('text')
  expect(verifyEd25519(data, sign(null, data, privateKey), key)).toBe(true)
  expect(verifyEd25519(Buffer.from('other'), sign(null, data, privateKey), key)).toBe(false)
})
