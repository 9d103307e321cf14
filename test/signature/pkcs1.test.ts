import {
  constants,
  createHash,
  generateKeyPairSync,
  type KeyObject,
  privateEncrypt,
  sign,
  verify
} from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { verifyPkcs1 } from '../../src/signature/pkcs1.ts'
import { flip, modulusOf } from '../support/rsa.ts'
import { EXPONENT_3 } from '../vectors/build/keys.ts'

const DATA = Buffer.from('(request-target): post /hook\nhost: receiver.example')

type Digest = 'sha256' | 'sha512'
const DIGEST_INFO = {
  sha256: '3031300d060960864801650304020105000420',
  sha512: '3051300d060960864801650304020305000440'
}
const digestInfo = (digest: Digest, data = DATA) =>
  Buffer.concat([Buffer.from(DIGEST_INFO[digest], 'hex'), createHash(digest).update(data).digest()])

/** The encoding of RFC 8017 section 9.2, around whatever: a zero, the block type, the padding, a zero. */
const encode = (length: number, info: Buffer, { type = 1, fill = 0xff, surplus = '' } = {}) =>
  Buffer.concat([
    Buffer.from([0, type]),
    Buffer.alloc(length - 3 - info.length - surplus.length, fill),
    Buffer.from([0]),
    info,
    Buffer.from(surplus)
  ])

interface Pair {
  publicKey: KeyObject
  privateKey: KeyObject
  length: number
}
function pairOf(modulusLength: number, publicExponent = 0x10001): Pair {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength, publicExponent })
  return { publicKey, privateKey, length: Math.ceil(modulusLength / 8) }
}

/** With the private key, whatever is below the modulus can be made to come out. */
const raw = ({ privateKey }: Pair, encoded: Buffer) =>
  privateEncrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, encoded)

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
    expect(raw(own, encode(own.length, digestInfo(digest)))).toEqual(signature)
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
    const encoded = encode(own.length, digestInfo(digest))
    const modulus = modulusOf(own.publicKey)
    const changed = Array.from(encoded, (_, at) => [flip(encoded, at, 0x01), flip(encoded, at, 0x80)]).flat()
    const possible = changed.filter(block => block.compare(modulus) < 0)
    expect(possible.length).toBeGreaterThanOrEqual(changed.length - 2)
    for (const block of possible) expect(judgements(raw(own, block), own, digest)).toEqual(NO)
  })

  it('refuses what is near the encoding', () => {
    const info = digestInfo(digest)
    const hash = createHash(digest).update(DATA).digest()
    const withoutNull = Buffer.from(info.toString('hex').replace(/^30(..)300d(.*?)0500/, shorter), 'hex')
    for (const encoded of [
      encode(128, hash),
      encode(128, withoutNull),
      encode(128, info, { surplus: '\0' }),
      encode(128, info, { surplus: 'behind the digest' }),
      encode(128, info, { type: 2 }),
      encode(128, info, { type: 0, fill: 0 }),
      encode(128, info, { fill: 0xfe }),
      encode(128, info, { fill: 0 }),
      encode(128, info.subarray(0, -1)),
      encode(128, Buffer.concat([Buffer.alloc(1), info])),
      encode(128, Buffer.alloc(0)),
      // No zero, or no padding at all.
      Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(126 - info.length, 0xff), info]),
      Buffer.concat([Buffer.alloc(128 - info.length), info])
    ]) {
      expect(encoded).toHaveLength(128)
      expect(judgements(raw(pair, encoded), pair, digest)).toEqual(NO)
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
    expect(judgements(toBuffer(sum, own.length), own, digest)).toEqual(NO)
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
  const length = 256
  const start = encode(8 + 3 + 51, digestInfo('sha256')) // 8 octets of padding are enough for those who stop there
  const goal = Buffer.concat([start, Buffer.alloc(length - start.length, 0xff)])
  const root = cubeRoot(toInteger(goal))
  expect(toBuffer(root ** 3n, length).subarray(0, start.length)).toEqual(start)
  expect(judgements(toBuffer(root, length), { ...EXPONENT_3, length }, 'sha256')).toEqual(NO)
})

/** DigestInfo with its lengths two less, and no NULL. */
const shorter = (_: string, length: string, oid: string) =>
  `30${(Number.parseInt(length, 16) - 2).toString(16)}300b${oid}`

const toInteger = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`)
const toBuffer = (integer: bigint, length: number) =>
  Buffer.from(integer.toString(16).padStart(2 * length, '0'), 'hex')

/** The largest number whose cube is not above. */
function cubeRoot(cube: bigint): bigint {
  let [low, high] = [0n, 1n << 700n]
  while (low < high) {
    const middle = (low + high + 1n) / 2n
    if (middle ** 3n <= cube) low = middle
    else high = middle - 1n
  }
  return low
}
