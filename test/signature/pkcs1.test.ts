import { constants, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { verifyPkcs1 } from '../../src/signature/pkcs1.ts'
import { flip, modulusOf } from '../support/rsa.ts'
import { toInteger, toOctets } from '../vectors/build/der.ts'
import { forgeCube } from '../vectors/build/forge-cube.ts'
import { EXPONENT_3 } from '../vectors/build/keys.ts'
import { digestInfo, encodePkcs1, signEncoded } from '../vectors/build/sign.ts'

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

/** What OpenSSL says, and what we do, as on Node.js and as on Deno. */
function judgements(signature: Uint8Array, { publicKey }: Pair, digest: Digest, data = DATA) {
  vi.stubGlobal('Deno', {})
  const onDeno = verifyPkcs1(data, signature, publicKey, digest)
  vi.unstubAllGlobals()
  const onNode = verifyPkcs1(data, signature, publicKey, digest)
  return [verify(digest, data, publicKey, signature), onNode, onDeno]
}
const YES = [true, true, true]
const NO = [false, false, false]

// 1025 bits need an octet more than 1024, of which one bit is used.
const PAIRS = new Map([1024, 1025, 1031, 2048].map(bits => [bits, pairOf(bits)]))
const pair = PAIRS.get(1024)!

afterEach(() => {
  vi.unstubAllGlobals()
})

describe.each<Digest>(['sha256', 'sha512'])('verifyPkcs1 with %s', digest => {
  it.each([...PAIRS])('verifies what OpenSSL signs with %d bits', (_, own) => {
    const signature = sign(digest, DATA, own.privateKey)
    expect(signEncoded(encodePkcs1(digestInfo(TEXT, digest), own.length), own)).toEqual(signature)
    expect(judgements(signature, own, digest)).toEqual(YES)
    expect(judgements(signature, own, digest, Buffer.from('other'))).toEqual(NO)
  })

  it('refuses a signature of another key, hash or padding', () => {
    const other = digest === 'sha256' ? 'sha512' : 'sha256'
    expect(judgements(sign(digest, DATA, pairOf(1024).privateKey), pair, digest)).toEqual(NO)
    expect(judgements(sign(other, DATA, pair.privateKey), pair, digest)).toEqual(NO)
    expect(judgements(sign('sha1', DATA, pair.privateKey), pair, digest)).toEqual(NO)
    const key = { key: pair.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
    expect(judgements(sign('sha512', DATA, key), pair, digest)).toEqual(NO)
  })

  it.each([...PAIRS])('refuses each octet of the encoding changed, %d bits', (_, own) => {
    const encoded = encodePkcs1(digestInfo(TEXT, digest), own.length)
    const modulus = modulusOf(own.publicKey)
    const changed = Array.from(encoded, (_, at) => [flip(encoded, at, 0x01), flip(encoded, at, 0x80)]).flat()
    const possible = changed.filter(block => block.compare(modulus) < 0)
    expect(possible.length).toBeGreaterThanOrEqual(changed.length - 2)
    for (const block of possible) expect(judgements(signEncoded(block, own), own, digest)).toEqual(NO)
  })

  it('refuses what is near the encoding', () => {
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

  it('refuses zero, one, and what is not below the modulus', () => {
    for (const last of [0, 1]) {
      expect(judgements(Buffer.concat([Buffer.alloc(127), Buffer.from([last])]), pair, digest)).toEqual(NO)
    }
    expect(judgements(Buffer.alloc(128, 0xff), pair, digest)).toEqual(NO)
    // The length of the modulus allows this sum often, and by 1031 bits always.
    const own = PAIRS.get(1031)!
    const sum = toInteger(sign(digest, DATA, own.privateKey)) + toInteger(modulusOf(own.publicKey))
    expect(judgements(toOctets(sum, own.length), own, digest)).toEqual(NO)
  })

  it('refuses an octet too many, none, and a key of another kind', () => {
    const signature = sign(digest, DATA, pair.privateKey)
    for (const other of [Buffer.concat([Buffer.alloc(1), signature]), Buffer.alloc(0)]) {
      expect(verifyPkcs1(DATA, other, pair.publicKey, digest)).toBe(false)
    }
    const { publicKey } = generateKeyPairSync('ed25519')
    expect(verifyPkcs1(DATA, signature, publicKey, digest)).toBe(false)
  })
})

it('verifyPkcs1 refuses a cube that is right at its start', () => {
  expect(judgements(forgeCube(TEXT), { ...EXPONENT_3, length: 256 }, 'sha256')).toEqual(NO)
})

/** DigestInfo with its lengths two less, and no NULL. */
const shorter = (_: string, length: string, oid: string) =>
  `30${(Number.parseInt(length, 16) - 2).toString(16)}300b${oid}`
