import { constants, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { PublicKey } from '../../../src/key/import.ts'
import { verifySignature } from '../../../src/signature/verify-signature.ts'
import { flip, modulusOf } from '../../support/rsa.ts'
import { forgeCube } from '../../vectors/build/forge-cube.ts'
import { EXPONENT_3 } from '../../vectors/build/keys.ts'
import { digestInfo, encodePkcs1, signEncoded } from '../../vectors/build/sign.ts'

const TEXT = '(request-target): post /hook\nhost: receiver.example'
const DATA = Buffer.from(TEXT)

type Digest = 'sha256' | 'sha512'

interface Pair {
  publicKey: KeyObject
  privateKey: KeyObject
  length: number
}
function pairOf(modulusLength: number): Pair {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength })
  return { publicKey, privateKey, length: Math.ceil(modulusLength / 8) }
}

const publicKeyOf = ({ publicKey, length }: Pair): PublicKey => ({
  type: 'rsa',
  bits: 8 * length,
  keyObject: publicKey
})

/** What OpenSSL says, and what we say. */
function judgements(signature: Uint8Array, pair: Pair, digest: Digest, text = TEXT) {
  const openssl = verify(digest, Buffer.from(text), pair.publicKey, signature)
  return [openssl, verifySignature(text, signature, publicKeyOf(pair), `rsa-${digest}`)]
}
const YES = [true, true]
const NO = [false, false]

// 1025 bits need an octet more than 1024, of which one bit is used.
const PAIRS = new Map([1024, 1025, 1031, 2048].map(bits => [bits, pairOf(bits)]))
const pair = PAIRS.get(1024)!

describe.each<Digest>(['sha256', 'sha512'])('RSASSA-PKCS1-v1_5 with %s', digest => {
  it.each([...PAIRS])('verifies what OpenSSL signs with %d bits', (_, own) => {
    const signature = sign(digest, DATA, own.privateKey)
    expect(signEncoded(encodePkcs1(digestInfo(TEXT, digest), own.length), own)).toEqual(signature)
    expect(judgements(signature, own, digest)).toEqual(YES)
    expect(judgements(signature, own, digest, 'other')).toEqual(NO)
  })

  it('rejects a signature of another key, hash or padding', () => {
    const other = digest === 'sha256' ? 'sha512' : 'sha256'
    expect(judgements(sign(digest, DATA, pairOf(1024).privateKey), pair, digest)).toEqual(NO)
    expect(judgements(sign(other, DATA, pair.privateKey), pair, digest)).toEqual(NO)
    expect(judgements(sign('sha1', DATA, pair.privateKey), pair, digest)).toEqual(NO)
    const key = { key: pair.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
    expect(judgements(sign('sha512', DATA, key), pair, digest)).toEqual(NO)
  })

  it.each([...PAIRS])('rejects each octet of the encoding changed, %d bits', (_, own) => {
    const encoded = encodePkcs1(digestInfo(TEXT, digest), own.length)
    const modulus = modulusOf(own.publicKey)
    const changed = Array.from(encoded, (_, at) => [flip(encoded, at, 0x01), flip(encoded, at, 0x80)]).flat()
    const possible = changed.filter(block => block.compare(modulus) < 0)
    expect(possible.length).toBeGreaterThanOrEqual(changed.length - 2)
    for (const block of possible) expect(judgements(signEncoded(block, own), own, digest)).toEqual(NO)
  })

  it('rejects near-miss encodings', () => {
    const info = digestInfo(TEXT, digest)
    const good = encodePkcs1(info, 128)
    const padding = 128 - 3 - info.length
    const around = (...parts: Uint8Array[]) => encodePkcs1(Buffer.concat(parts), 128)
    for (const encoded of [
      around(info.subarray(19)),
      around(Buffer.from(info.toString('hex').replace(/^30(..)300d(.*?)0500/, shorter), 'hex')),
      around(info, Buffer.from('\0')),
      around(info, Buffer.from('behind the digest')),
      around(info.subarray(0, -1)),
      around(Buffer.alloc(1), info),
      around(),
      Buffer.concat([Buffer.from([0, 2]), good.subarray(2)]),
      Buffer.concat([Buffer.alloc(3 + padding), info]),
      Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(padding, 0xfe), good.subarray(2 + padding)]),
      Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(padding), good.subarray(2 + padding)]),
      // no zero between
      Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(padding + 1, 0xff), info])
    ]) {
      expect(encoded).toHaveLength(128)
      expect(judgements(signEncoded(encoded, pair), pair, digest)).toEqual(NO)
    }
  })

  it('rejects zero and one, which are their own encoding', () => {
    for (const last of [0, 1]) {
      expect(judgements(Buffer.concat([Buffer.alloc(127), Buffer.from([last])]), pair, digest)).toEqual(NO)
    }
  })

  it('rejects a signature that is one octet too long, or empty', () => {
    const signature = sign(digest, DATA, pair.privateKey)
    for (const other of [Buffer.concat([Buffer.alloc(1), signature]), Buffer.alloc(0)]) {
      expect(verifySignature(TEXT, other, publicKeyOf(pair), `rsa-${digest}`)).toBe(false)
    }
  })

  it('rejects a key of another type', () => {
    const signature = sign(digest, DATA, pair.privateKey)
    const { publicKey } = generateKeyPairSync('ed25519')
    const key: PublicKey = { type: 'rsa', bits: 1024, keyObject: publicKey }
    expect(verifySignature(TEXT, signature, key, `rsa-${digest}`)).toBe(false)
  })
})

it('rejects a forged cube that is correct only at its start', () => {
  expect(judgements(forgeCube(TEXT), { ...EXPONENT_3, length: 256 }, 'sha256')).toEqual(NO)
})

/** DigestInfo with its lengths two less, and no NULL. */
const shorter = (_: string, length: string, oid: string) =>
  `30${(Number.parseInt(length, 16) - 2).toString(16)}300b${oid}`
