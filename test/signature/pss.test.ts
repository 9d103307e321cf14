import {
  constants,
  generateKeyPairSync,
  type KeyObject,
  privateEncrypt,
  publicEncrypt,
  sign,
  verify
} from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { PublicKey } from '../../src/key/import.ts'
import { verifyPss } from '../../src/signature/pss.ts'
import { flip, modulusOf } from '../support/rsa.ts'

const { RSA_NO_PADDING, RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_AUTO: ANY } = constants
const DATA = Buffer.from('(request-target): post /hook\nhost: receiver.example')

function pairOf(bits: number): { key: PublicKey; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  return { key: { type: 'rsa', bits, keyObject: publicKey }, privateKey }
}
const signPss = (key: KeyObject, saltLength: number, data = DATA, digest = 'sha512') =>
  sign(digest, data, { key, padding, saltLength })

/** What OpenSSL says, and what we do. */
function judgements(data: Uint8Array, signature: Uint8Array, { key }: { key: PublicKey }, saltLength = ANY) {
  const openssl = verify('sha512', data, { key: key.keyObject, padding, saltLength }, signature)
  return [openssl, verifyPss(data, signature, key, saltLength)]
}
const YES = [true, true]
const NO = [false, false]

// The encoding has a bit less than the modulus: 1025 bits leave out an octet, the others leave bits of one unused.
const SIZES = [1024, 1025, 1026, 1031, 1032]
const PAIRS = new Map(SIZES.map(bits => [bits, pairOf(bits)]))
const pair = PAIRS.get(1024)!

describe('verifyPss', () => {
  it.each(SIZES)('verifies what OpenSSL signs with %d bits, any salt', bits => {
    const own = PAIRS.get(bits)!
    const longest = Math.ceil((bits - 1) / 8) - 64 - 2
    for (const saltLength of [0, 1, 32, longest]) {
      const signature = signPss(own.privateKey, saltLength)
      expect(judgements(DATA, signature, own)).toEqual(YES)
      expect(judgements(DATA, signature, own, saltLength)).toEqual(YES)
      expect(judgements(DATA, signature, own, saltLength + 1)).toEqual(NO)
      expect(judgements(Buffer.from('other'), signature, own)).toEqual(NO)
    }
  })

  it('refuses a signature of another key, hash or padding', () => {
    expect(judgements(DATA, signPss(pairOf(1024).privateKey, 32), pair)).toEqual(NO)
    expect(judgements(DATA, signPss(pair.privateKey, 32, DATA, 'sha256'), pair)).toEqual(NO)
    expect(judgements(DATA, sign('sha512', DATA, pair.privateKey), pair)).toEqual(NO)
  })

  it('refuses whatever a key has that is too short for the hash', () => {
    const { key, privateKey } = pairOf(520)
    const ones = Buffer.alloc(65, 0x01)
    const signature = privateEncrypt({ key: privateKey, padding: RSA_NO_PADDING }, ones)
    expect(verifyPss(DATA, signature, key, ANY)).toBe(false)
  })

  it('refuses a number that is not below the modulus', () => {
    expect(judgements(DATA, Buffer.alloc(128, 0xff), pair)).toEqual(NO)
  })

  it('refuses zero and one, which are their own encoding', () => {
    for (const last of [0, 1]) {
      expect(judgements(DATA, Buffer.concat([Buffer.alloc(127), Buffer.from([last])]), pair)).toEqual(NO)
    }
  })

  // With the private key any encoding below the modulus can be made: here a good one with one bit changed.
  it.each(SIZES)('refuses each octet of the encoding changed, %d bits', bits => {
    const { key, privateKey } = PAIRS.get(bits)!
    const raw = (block: Buffer) => privateEncrypt({ key: privateKey, padding: RSA_NO_PADDING }, block)
    const modulus = modulusOf(key.keyObject)
    const isBelow = (block: Buffer) => block.compare(modulus) < 0
    const highest = 2 ** ((bits - 1) % 8)

    // The highest bit, which the encoding leaves out, may be set below some moduli with some salts.
    let encoded: Buffer
    let attempts = 0
    do {
      // an eighth of them at least: the two highest bits of both primes are set
      if (++attempts > 300) throw new Error('no salt leaves the highest bit below this modulus')
      const signature = signPss(privateKey, 32)
      encoded = publicEncrypt({ key: key.keyObject, padding: RSA_NO_PADDING }, signature)
      expect(raw(encoded)).toEqual(signature)
    } while (!isBelow(flip(encoded, 0, highest)))

    const changed = Array.from(encoded, (_, at) => [flip(encoded, at, 0x01), flip(encoded, at, 0x80)])
    for (const block of [flip(encoded, 0, highest), ...changed.flat().filter(isBelow)])
      expect(judgements(DATA, raw(block), { key })).toEqual(NO)
  })
})
