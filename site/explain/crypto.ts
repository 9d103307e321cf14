import { ed25519 } from '@noble/curves/ed25519.js'
import { sha1 } from '@noble/hashes/legacy.js'
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js'
import { parseRsaDer } from '../../src/core/key/rsa-der.ts'

/**
 * Does what the library uses of `node:crypto`, in a browser: hashes, and public keys of RSA and Ed25519. The hashes and
 * the curve are those of @noble; RSA is RFC 8017 with BigInt. It holds no secret, so nothing here needs constant time.
 * Every result is that of OpenSSL, which the tests compare for each vector.
 */

type HashName = 'sha1' | 'sha256' | 'sha384' | 'sha512'
type Encoding = 'base64' | 'hex'

const HASHES = { sha1, sha256, sha384, sha512 } as const

/** The values of OpenSSL; the library only compares and passes them. */
export const constants = { RSA_NO_PADDING: 3, RSA_PKCS1_PSS_PADDING: 6, RSA_PSS_SALTLEN_AUTO: -2 } as const

/** Hashes octets, or a text as UTF-8. */
export const hash = (name: HashName, data: Uint8Array | string, encoding: Encoding): string =>
  Buffer.from(HASHES[name](octetsOf(data)).buffer).toString(encoding)

const octetsOf = (data: Uint8Array | string): Uint8Array =>
  typeof data === 'string' ? new TextEncoder().encode(data) : data

export function createHash(name: HashName) {
  const hash = HASHES[name].create()
  const hasher = {
    update(data: Uint8Array | string) {
      hash.update(octetsOf(data))
      return hasher
    },
    digest(encoding?: Encoding): Buffer | string {
      const bytes = Buffer.from(hash.digest())
      return encoding === undefined ? bytes : bytes.toString(encoding)
    }
  }
  return hasher
}

/** The library imports these too, but no page calls them. */
export const [createPrivateKey, generateKeyPairSync, randomUUID, sign]: readonly undefined[] = []

/** A public key; the form that `node:crypto` calls KeyObject. */
export interface KeyObject {
  export(format: { type: 'spki'; format: 'der' }): Uint8Array
  readonly asymmetricKeyDetails?: { readonly publicExponent: bigint }
  readonly rsa?: Rsa
  readonly ed25519?: Ed25519
}

interface Rsa {
  readonly n: bigint
  readonly e: bigint
  /** the octets of n */
  readonly modulus: Uint8Array
}

interface Ed25519 {
  /** as it is in the record: 32 octets */
  readonly octets: Uint8Array
  /** undefined where the octets do not encode a point of the curve */
  readonly point: InstanceType<typeof Point> | undefined
}

const { Point } = ed25519

/** The library gives RSA keys that it has parsed itself, and Ed25519 keys as 12 fixed octets and the point. */
export function createPublicKey({ key }: { key: Uint8Array }): KeyObject {
  const parsed = parseRsaDer(key)
  if (typeof parsed !== 'object') return { ed25519: toEd25519(key.subarray(ED25519_PREFIX)), export: () => key }
  const { modulus } = parsed
  // The exponent ends the key, behind an octet each for tag and length: it has at most 33 bits.
  const exponent = key.subarray(modulus.byteOffset - key.byteOffset + modulus.length + 2)
  const e = toInteger(exponent)
  return {
    rsa: { n: toInteger(modulus), e, modulus },
    asymmetricKeyDetails: { publicExponent: e },
    export: () => key
  }
}

const ED25519_PREFIX = 12

/** Decodes a key as OpenSSL does, which accepts a non-canonical encoding of the point. */
function toEd25519(octets: Uint8Array): Ed25519 {
  try {
    // A search for a changed line verifies thousands of times with one key.
    return { octets, point: Point.fromBytes(Uint8Array.from(octets), true).precompute(WINDOW) }
  } catch {
    return { octets, point: undefined }
  }
}

/** Bits: a table of this window takes milliseconds, and makes each verification several times as fast. */
const WINDOW = 8

interface VerifyInput {
  readonly key: KeyObject
  readonly padding?: number
  readonly saltLength?: number
}

const inputOf = (input: KeyObject | VerifyInput): VerifyInput => ('key' in input ? input : { key: input })

/** One-shot verification; RSA goes through `createVerify`. */
export const verify = (_: null, data: Uint8Array, { ed25519 }: KeyObject, signature: Uint8Array): boolean =>
  ed25519 !== undefined && isEd25519(ed25519, data, signature)

export function createVerify(name: HashName) {
  let digest: Uint8Array = new Uint8Array()
  const verifier = {
    update(text: string, encoding: 'latin1') {
      digest = HASHES[name](Buffer.from(text, encoding))
      return verifier
    },
    verify(input: KeyObject | VerifyInput, signature: Uint8Array): boolean {
      const { key, padding, saltLength } = inputOf(input)
      const message = key.rsa && open(key.rsa, signature)
      if (key.rsa === undefined || message === undefined) return false
      return padding === constants.RSA_PKCS1_PSS_PADDING
        ? isPss(name, digest, message, key.rsa, saltLength!)
        : isSame(message, pkcs1(name, digest, message.length))
    }
  }
  return verifier
}

/** RFC 8017 section 7.2.2 with block type 1, or without padding: the content of a signature. Throws for another one. */
export function publicDecrypt(input: KeyObject | VerifyInput, signature: Uint8Array): Buffer {
  const { key, padding } = inputOf(input)
  const message = key.rsa && open(key.rsa, signature)
  if (message !== undefined && padding === constants.RSA_NO_PADDING) return Buffer.from(message)
  const end = message?.indexOf(0, 1) ?? -1
  const isPadded = message?.[0] === 0 && message[1] === 1 && end >= 10
  if (!isPadded || !message.subarray(2, end).every(octet => octet === 0xff)) throw new Error('invalid padding')
  return Buffer.from(message.subarray(end + 1))
}

/** RSAVP1 (RFC 8017 section 5.2.2). Undefined for a signature that is not below the modulus, or for an even modulus. */
function open({ n, e, modulus }: Rsa, signature: Uint8Array): Uint8Array | undefined {
  const s = toInteger(signature)
  if (signature.length > modulus.length || s >= n || n % 2n === 0n) return undefined
  let [power, base, rest] = [1n, s, e]
  for (; rest > 0n; rest >>= 1n, base = (base * base) % n) if (rest & 1n) power = (power * base) % n
  return Buffer.from(power.toString(16).padStart(modulus.length * 2, '0'), 'hex')
}

const toInteger = (octets: Uint8Array): bigint => BigInt(`0x${Buffer.from(octets).toString('hex') || '0'}`)

/** RFC 8017 section 9.2, note 1: DigestInfo up to the digest. */
const DIGEST_INFO: Partial<Record<HashName, string>> = {
  sha256: '3031300d060960864801650304020105000420',
  sha512: '3051300d060960864801650304020305000440'
}

/** EMSA-PKCS1-v1_5 (RFC 8017 section 9.2). */
function pkcs1(name: HashName, digest: Uint8Array, length: number): Uint8Array {
  const end = Buffer.concat([Buffer.of(0), Buffer.from(DIGEST_INFO[name]!, 'hex'), digest])
  return Buffer.concat([Buffer.of(0, 1), Buffer.alloc(Math.max(length - 2 - end.length, 0), 0xff), end])
}

/** EMSA-PSS-VERIFY with MGF1 (RFC 8017 section 9.1.2), with a salt of this length, or of any. */
function isPss(name: HashName, digest: Uint8Array, message: Uint8Array, { n }: Rsa, saltLength: number): boolean {
  const hash = HASHES[name]
  const bits = n.toString(2).length - 1
  const surplus = 8 - (bits % 8 || 8)
  // Of a modulus of 8k + 1 bits, the first octet is not part of the encoded message.
  const encoded = message.subarray(message.length - Math.ceil(bits / 8))
  const { outputLen } = hash
  const split = encoded.length - outputLen - 1
  const isFramed = split >= 1 && encoded.at(-1) === 0xbc && message.length - encoded.length <= 1
  if (!isFramed || (message.length > encoded.length && message[0] !== 0) || encoded[0]! >> (8 - surplus) !== 0)
    return false
  const seed = encoded.subarray(split, -1)
  const mask = mgf1(hash, seed, split)
  const block = encoded.subarray(0, split).map((octet, i) => octet ^ mask[i]!)
  block[0] = block[0]! & (0xff >> surplus)
  const one = block.findIndex(octet => octet !== 0)
  const salt = block.subarray(one + 1)
  if (block[one] !== 1 || (saltLength >= 0 && salt.length !== saltLength)) return false
  return isSame(seed, hash(Buffer.concat([Buffer.alloc(8), digest, salt])))
}

/** RFC 8017 appendix B.2.1. */
function mgf1(hash: (typeof HASHES)[HashName], seed: Uint8Array, length: number): Uint8Array {
  const blocks = Array.from({ length: Math.ceil(length / hash.outputLen) }, (_, i) =>
    hash(Buffer.concat([seed, Buffer.of(i >>> 24, i >>> 16, i >>> 8, i)]))
  )
  return Buffer.concat(blocks).subarray(0, length)
}

/** RFC 8032 section 5.1.7 without the cofactor: as OpenSSL, compares the octets of R. */
function isEd25519({ octets, point }: Ed25519, data: Uint8Array, signature: Uint8Array): boolean {
  if (point === undefined || signature.length !== 64) return false
  const { ORDER } = Point.Fn
  const [r, s] = [signature.subarray(0, 32), toInteger(Uint8Array.from(signature.subarray(32)).reverse())]
  if (s >= ORDER) return false
  const k = toInteger(sha512(Buffer.concat([r, octets, data])).reverse()) % ORDER
  return isSame(Point.BASE.multiplyUnsafe(s).subtract(point.multiplyUnsafe(k)).toBytes(), r)
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((octet, i) => octet === b[i])
