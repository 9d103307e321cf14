/**
 * Verifies RSA (RFC 8017) and Ed25519 (RFC 8032) with big integers, as a reference for tests: slow, not constant in
 * time, and close to the text of the RFCs. Only the hashes are the platform's.
 */
import { createHash } from 'node:crypto'

type Hash = 'sha256' | 'sha512'

const hash = (name: Hash, ...parts: readonly Uint8Array[]): Buffer =>
  createHash(name).update(Buffer.concat(parts)).digest()
export const toInteger = (bytes: Uint8Array): bigint => BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)
export const toOctets = (value: bigint, length: number): Buffer =>
  Buffer.from(value.toString(16).padStart(2 * length, '0'), 'hex')

export function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square] = [1n, base % modulus]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}

export interface RsaNumbers {
  n: bigint
  e: bigint
}

const bitsOf = (value: bigint): number => value.toString(2).length

/** Section 5.2.2 and the length check of 8.1.2 and 8.2.2; undefined when the signature represents no number below n. */
function openRsa(signature: Uint8Array, { n, e }: RsaNumbers): bigint | undefined {
  const s = toInteger(signature)
  return signature.length === Math.ceil(bitsOf(n) / 8) && s < n ? power(s, e, n) : undefined
}

const DIGEST_INFO = {
  sha256: '3031300d060960864801650304020105000420',
  sha512: '3051300d060960864801650304020305000440'
}

/** Section 8.2.2: builds the encoding, and compares all of it. */
export function verifyPkcs1(data: Uint8Array, signature: Uint8Array, key: RsaNumbers, name: Hash): boolean {
  const info = Buffer.concat([Buffer.from(DIGEST_INFO[name], 'hex'), hash(name, data)])
  const padding = Math.ceil(bitsOf(key.n) / 8) - 3 - info.length
  if (padding < 8) return false
  const encoded = Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(padding, 0xff), Buffer.alloc(1), info])
  return openRsa(signature, key) === toInteger(encoded)
}

/** Section 8.1.2 with SHA-512; accepts any salt length unless one is given. */
export function verifyPss(data: Uint8Array, signature: Uint8Array, key: RsaNumbers, saltLength?: number): boolean {
  const bits = bitsOf(key.n) - 1
  const length = Math.ceil(bits / 8)
  const opened = openRsa(signature, key)
  if (opened === undefined || opened >= 1n << BigInt(8 * length)) return false
  const encoded = toOctets(opened, length)
  const [masked, own] = [encoded.subarray(0, length - 65), encoded.subarray(length - 65, -1)]
  const unused = 8 * length - bits
  if (encoded.at(-1) !== 0xbc || masked[0]! >> (8 - unused) !== 0) return false
  const counters = Array.from({ length: Math.ceil(masked.length / 64) }, (_, i) => toOctets(BigInt(i), 4))
  const mask = Buffer.concat(counters.map(counter => hash('sha512', own, counter)))
  const block = masked.map((octet, i) => octet ^ mask[i]!)
  block[0]! &= 0xff >> unused
  const one = block.findIndex(octet => octet !== 0)
  if (one < 0 || block[one] !== 1) return false
  const salt = block.subarray(one + 1)
  if (saltLength !== undefined && salt.length !== saltLength) return false
  return hash('sha512', Buffer.alloc(8), hash('sha512', data), salt).equals(own)
}

// RFC 8032 section 5.1
const P = 2n ** 255n - 19n
/** The order of the base point. */
export const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
const modulo = (value: bigint): bigint => ((value % P) + P) % P
const inverse = (value: bigint): bigint => power(modulo(value), P - 2n, P)
const D = modulo(-121665n * inverse(121666n))
const SQRT_M1 = power(2n, (P - 1n) / 4n, P)

/** A point in extended coordinates. */
export type Point = readonly [x: bigint, y: bigint, z: bigint, t: bigint]

const littleEndian = (bytes: Uint8Array): bigint => toInteger(Buffer.from(bytes).reverse())

/** Section 5.1.3; undefined when it is not a point. */
export function decodePoint(bytes: Uint8Array): Point | undefined {
  const number = littleEndian(bytes)
  const y = number & ((1n << 255n) - 1n)
  const sign = number >> 255n
  if (y >= P) return undefined
  const u = modulo(y * y - 1n)
  const v = modulo(D * y * y + 1n)
  const root = modulo(u * v ** 3n * power(modulo(u * v ** 7n), (P - 5n) / 8n, P))
  const square = modulo(v * root * root)
  if (square !== u && square !== modulo(-u)) return undefined
  const x = square === u ? root : modulo(root * SQRT_M1)
  if (x === 0n && sign === 1n) return undefined
  const own = (x & 1n) === sign ? x : P - x
  return [own, y, 1n, modulo(own * y)]
}

export function encodePoint([x, y, z]: Point): Buffer {
  const inverted = inverse(z)
  const number = modulo(y * inverted) | ((modulo(x * inverted) & 1n) << 255n)
  return toOctets(number, 32).reverse()
}

const NEUTRAL: Point = [0n, 1n, 1n, 0n]

/** Section 5.1.4 */
export function addPoints([x1, y1, z1, t1]: Point, [x2, y2, z2, t2]: Point): Point {
  const a = modulo((y1 - x1) * (y2 - x2))
  const b = modulo((y1 + x1) * (y2 + x2))
  const c = modulo(2n * t1 * D * t2)
  const d = modulo(2n * z1 * z2)
  const [e, f, g, h] = [b - a, d - c, d + c, b + a]
  return [modulo(e * f), modulo(g * h), modulo(f * g), modulo(e * h)]
}

export function multiplyPoint(scalar: bigint, point: Point): Point {
  let result = NEUTRAL
  for (const bit of scalar.toString(2)) {
    result = addPoints(result, result)
    if (bit === '1') result = addPoints(result, point)
  }
  return result
}

export const BASE_POINT = decodePoint(toOctets(modulo(4n * inverse(5n)), 32).reverse())!

/** Section 5.1.7 step 2, reduced as all libraries do it. */
export const challenge = (r: Uint8Array, publicKey: Uint8Array, data: Uint8Array): bigint =>
  littleEndian(hash('sha512', r, publicKey, data)) % GROUP_ORDER

/** Returns whether the order is 1, 2, 4 or 8: under such a key a signature verifies for many texts. */
export const isSmallOrder = (point: Point): boolean =>
  encodePoint(multiplyPoint(8n, point)).equals(encodePoint(NEUTRAL))

/** Section 5.1.5 step 2: the scalar of a secret key. */
export function secretScalar(secret: Uint8Array): bigint {
  const low = hash('sha512', secret).subarray(0, 32)
  return (littleEndian(low) & ((1n << 254n) - 8n)) | (1n << 254n)
}

/** Section 5.1.7 without the cofactor, as the libraries do it: R is computed, and compared as octets. */
export function verifyEd25519(data: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  const point = decodePoint(publicKey)
  if (signature.length !== 64 || point === undefined) return false
  const r = signature.subarray(0, 32)
  const s = littleEndian(signature.subarray(32))
  if (s >= GROUP_ORDER) return false
  const k = challenge(r, publicKey, data)
  const [x, y, z, t] = point
  const negative: Point = [modulo(-x), y, z, modulo(-t)]
  return encodePoint(addPoints(multiplyPoint(s, BASE_POINT), multiplyPoint(k, negative))).equals(Buffer.from(r))
}
