import { constants, createHash, createPrivateKey, createPublicKey, publicEncrypt, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { rsaPublicKey, rsaSpki, toInteger, toOctets } from '../../../../fixtures/source/der.ts'
import { ED25519, EXPONENT_3, modulusOf, ONE, RSA_1024, type TestKey } from '../../../../fixtures/source/keys.ts'
import { signEncoded, signText } from '../../../../fixtures/source/sign.ts'
import type { Random } from '../../../fuzz/random.ts'
import {
  addPoints,
  BASE_POINT,
  challenge,
  decodePoint,
  encodePoint,
  GROUP_ORDER,
  isSmallOrder,
  multiplyPoint,
  type Point,
  type RsaNumbers,
  secretScalar,
  verifyEd25519,
  verifyPkcs1,
  verifyPss
} from '../../../support/big-integer.ts'
import { flip } from '../../../support/rsa.ts'
import { mutateDer, readKey } from './mutated-der.ts'

/** A signature for the library to judge, and the result with big integers. */
export interface Case {
  /** the change */
  change: string
  algorithm: string
  /** for RSA, the length of the modulus of the key that signed */
  bits?: number
  /** the key record */
  record: string
  text: string
  /** base64 */
  signature: string
  verifies: boolean
}

const RSA = ['rsa-sha256', 'rsa-sha512', 'hs2019', 'rsa-pss-sha512'] as const
/** These keys are made for these tests only. */
function keyOf(name: string): TestKey {
  const privateKey = createPrivateKey(readFileSync(new URL(`keys/${name}.pem`, import.meta.url)))
  const publicKey = createPublicKey(privateKey)
  const p = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  return { privateKey, publicKey, p, record: `v=DKIM1; k=rsa; p=${p}` }
}

/**
 * Under a modulus of 8k + 1 bits, the encoding of RSASSA-PSS is an octet shorter than the modulus (RFC 8017 section
 * 8.1).
 */
const RSA_KEYS = [
  { key: keyOf('rsa-1025'), e: 65537n },
  { key: keyOf('rsa-1041'), e: 65537n },
  { key: ONE, e: 65537n },
  { key: RSA_1024, e: 65537n },
  { key: EXPONENT_3, e: 3n }
]
const octets = (text: string): Buffer => Buffer.from(text, 'latin1')
const flipBit = (bytes: Buffer, random: Random): Buffer => flip(bytes, random.below(bytes.length), 1 << random.below(8))

function signRsa(text: string, { privateKey }: TestKey, algorithm: (typeof RSA)[number]): Buffer {
  const hash = algorithm === 'rsa-sha256' ? 'sha256' : 'sha512'
  const isPss = algorithm === 'hs2019' || algorithm === 'rsa-pss-sha512'
  const padding = isPss ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING
  const saltLength = algorithm === 'hs2019' ? 20 : 64
  // Section 9.1.1 step 3: two octets besides hash and salt; a salt of 64 octets does not fit a key of 1024 bits.
  const encodedLength = Math.ceil((modulusLength(privateKey) - 1) / 8)
  const fits = encodedLength >= 64 + saltLength + 2
  return sign(hash, octets(text), { key: privateKey, padding, ...(isPss && { saltLength: fits ? saltLength : 0 }) })
}

const modulusLength = (key: TestKey['privateKey']): number => key.asymmetricKeyDetails!.modulusLength!

/** A change replaces these signed parts. */
interface Changed {
  signature?: Buffer
  text?: string
  /** of Ed25519 */
  key?: Buffer
  /** of RSA */
  numbers?: RsaNumbers
  der?: Buffer
}

/** Makes an RSA case: a signature, changed as a number, as octets, or in its encoding; or a changed key. */
export function rsaCase(random: Random): Case {
  const { key, e } = random.pick(RSA_KEYS)
  const algorithm = random.pick(RSA)
  const text = `date: ${random.below(1e6)}`
  const n = modulusOf(key)
  const length = Math.ceil(n.toString(2).length / 8)
  const good = signRsa(text, key, algorithm)
  const signChanged = (change: (encoded: Buffer) => Buffer): Changed => {
    const encoded = change(publicEncrypt({ key: key.publicKey, padding: constants.RSA_NO_PADDING }, good))
    return toInteger(encoded) < n ? { signature: signEncoded(encoded, key) } : {}
  }

  const changes: Readonly<Record<string, () => Changed>> = {
    nothing: () => ({}),
    'a bit of the signature': () => ({ signature: flipBit(good, random) }),
    'a bit of the encoding': () => signChanged(encoded => flipBit(encoded, random)),
    'the first octet of the encoding': () => signChanged(encoded => flip(encoded, 0, 1)),
    'the DER of the key': () => ({ der: mutateDer({ n, e }, random) }),
    'octets added or cut'() {
      const zero = Buffer.alloc(1 + random.below(2))
      const forms = [Buffer.concat([zero, good]), Buffer.concat([good, zero]), good.subarray(1), good.subarray(0, -1)]
      return { signature: random.pick(forms) }
    },
    'another number'() {
      const number = random.pick([0n, 1n, 2n, n - 1n, n, n + 1n, n - toInteger(good), toInteger(good) + n])
      return { signature: toOctets(number, Math.max(length, Math.ceil(number.toString(16).length / 2))) }
    },
    'another text': () => ({ text: `${text} ` }),
    'a bit of the modulus'() {
      const changed = toInteger(flipBit(toOctets(n, length), random))
      // A key that is too short is refused before it is used.
      return changed.toString(2).length >= 1024 ? { numbers: { n: changed, e } } : {}
    },
    'another exponent'() {
      const other = random.pick([3n, 5n, 17n, 257n, 65537n, 65539n, 2n ** 32n + 1n])
      const isForged = random.chance(0.5) && other === 3n && e === 3n
      return { numbers: { n, e: other }, ...(isForged && { signature: cubeRoot(text, length) }) }
    }
  }
  const change = random.pick(Object.keys(changes))
  const { numbers = { n, e }, signature = good, text: signedText = text, ...changed } = changes[change]!()
  const der = changed.der ?? (random.chance(0.5) ? rsaSpki : rsaPublicKey)(numbers.n, numbers.e)
  return {
    change,
    algorithm,
    bits: modulusLength(key.privateKey),
    record: `v=DKIM1; k=rsa; p=${der.toString('base64')}`,
    text: signedText,
    signature: signature.toString('base64'),
    verifies: verifiesRsa(octets(signedText), signature, readKey(der), algorithm)
  }
}

function verifiesRsa(
  data: Uint8Array,
  signature: Uint8Array,
  numbers: RsaNumbers | undefined,
  algorithm: (typeof RSA)[number]
): boolean {
  if (numbers === undefined || !isAllowed(numbers)) return false
  return algorithm === 'rsa-sha256' || algorithm === 'rsa-sha512'
    ? verifyPkcs1(data, signature, numbers, algorithm === 'rsa-sha256' ? 'sha256' : 'sha512')
    : verifyPss(data, signature, numbers, algorithm === 'rsa-pss-sha512' ? 64 : undefined)
}

/** RFC 8301 section 3.2, RFC 8017 section 3.1, and the longest accepted exponent and modulus. */
function isAllowed({ n, e }: RsaNumbers): boolean {
  const bits = n.toString(2).length
  return bits >= 1024 && bits <= 8192 && e % 2n === 1n && e >= 3n && e < 2n ** 33n
}

/** Returns a number whose cube begins like a good encoding: a forgery against code that checks only the beginning. */
function cubeRoot(text: string, length: number): Buffer {
  const digest = createHash('sha256').update(octets(text)).digest('hex')
  const start = BigInt(`0x0001ffffffffffffffff003031300d060960864801650304020105000420${digest}`)
  const target = (start + 1n) << BigInt(8 * (length - 62))
  let [low, high] = [0n, 1n << BigInt(Math.ceil((8 * length) / 3) + 1)]
  while (low + 1n < high) {
    const middle = (low + high) / 2n
    if (middle ** 3n < target) low = middle
    else high = middle
  }
  return toOctets(low, length)
}

// RFC 8032 section 5.1
const littleEndian = (value: bigint): Buffer => toOctets(value, 32).reverse()
const P = 2n ** 255n - 19n
const SIGN = 1n << 255n
const EIGHTH = decodePoint(Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex'))!
/** The points whose order divides 8; the first is the neutral one. */
const SMALL_ORDER: readonly Point[] = Array.from({ length: 8 }, (_, i) => multiplyPoint(BigInt(i), EIGHTH))
/** Section 5.1.3 refuses these encodings: a y that is not below p, and a sign where x is zero. */
const NOT_CANONICAL: readonly Buffer[] = [
  ...Array.from({ length: 19 }, (_, y) => [P + BigInt(y), (P + BigInt(y)) | SIGN]).flat(),
  1n | SIGN,
  (P - 1n) | SIGN
].map(littleEndian)

const ED25519_KEY = Buffer.from(ED25519.p, 'base64')
const SECRET = secretScalar(Buffer.from(String(ED25519.privateKey.export({ format: 'jwk' }).d), 'base64url'))

/** Makes an Ed25519 case. */
export function ed25519Case(random: Random): Case {
  const text = `date: ${random.below(1e6)}`
  const good = signText(text, ED25519, 'ed25519')
  const smallOrder = () => random.pick(SMALL_ORDER.slice(1))

  /** Signs with R and key as given, and s such that [s]B = [r]B + [k]([secret]B). */
  function signWith(r: bigint, encodedR: Buffer, key: Buffer = ED25519_KEY, secret = SECRET) {
    const k = challenge(encodedR, key, octets(text))
    const signature = Buffer.concat([encodedR, littleEndian((r + k * secret) % GROUP_ORDER)])
    return { key, signature, fallsOut: k % 8n === 0n }
  }
  /** Signs under a key that has a part of small order; half of them until this part vanishes from [k]A. */
  function signUnder(key: Buffer, secret: bigint): Changed {
    const isUntil = random.chance(0.5)
    const start = BigInt(1 + random.below(1e9))
    for (let r = start; ; r++) {
      const { fallsOut, ...signed } = signWith(r, encodePoint(multiplyPoint(r, BASE_POINT)), key, secret)
      if (fallsOut || !isUntil || r === start + 199n) return signed
    }
  }

  const changes: Readonly<Record<string, () => Changed>> = {
    nothing: () => ({}),
    'a bit of the signature': () => ({ signature: flipBit(good, random) }),
    'the group order added'() {
      const s = toInteger(Buffer.from(good.subarray(32)).reverse()) + GROUP_ORDER
      return { signature: Buffer.concat([good.subarray(0, 32), littleEndian(s)]) }
    },
    'octets added or cut': () => ({
      signature: random.pick([good.subarray(1), good.subarray(0, -1), Buffer.concat([good, Buffer.alloc(1)])])
    }),
    'a bit of the key': () => ({ key: flipBit(ED25519_KEY, random) }),
    'another text': () => ({ text: `${text} ` }),
    'the neutral R': () => signWith(0n, encodePoint(SMALL_ORDER[0]!)),
    'R of small order': () => signWith(0n, encodePoint(smallOrder())),
    'R of mixed order'() {
      const r = BigInt(1 + random.below(1e9))
      return signWith(r, encodePoint(addPoints(multiplyPoint(r, BASE_POINT), smallOrder())))
    },
    'R not canonical': () => signWith(0n, random.pick(NOT_CANONICAL)),
    'a key of small order': () => signUnder(encodePoint(random.pick(SMALL_ORDER)), 0n),
    'a key of mixed order': () =>
      signUnder(encodePoint(addPoints(multiplyPoint(SECRET, BASE_POINT), smallOrder())), SECRET),
    'a key not canonical': () => signUnder(random.pick(NOT_CANONICAL), 0n)
  }
  const change = random.pick(Object.keys(changes))
  const { key = ED25519_KEY, signature = good, text: signedText = text } = changes[change]!()
  const point = decodePoint(key)
  return {
    change,
    algorithm: 'ed25519',
    record: `v=DKIM1; k=ed25519; p=${key.toString('base64')}`,
    text: signedText,
    signature: signature.toString('base64'),
    // A key of small order is refused before it is used (section 8.4 says why).
    verifies: point !== undefined && !isSmallOrder(point) && verifyEd25519(octets(signedText), signature, key)
  }
}
