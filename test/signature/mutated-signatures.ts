import { constants, createHash, publicEncrypt, sign } from 'node:crypto'
import type { Random } from '../fuzz/random.ts'
import { verifyEd25519, verifyPkcs1, verifyPss } from '../support/big-integer.ts'
import { rsaPublicKey, rsaSpki, toInteger, toOctets } from '../vectors/build/der.ts'
import { ED25519, EXPONENT_3, modulusOf, ONE, RSA_1024, type TestKey } from '../vectors/build/keys.ts'
import { signEncoded, signText } from '../vectors/build/sign.ts'

/** A signature for the library to judge, and what big integers say of it. */
export interface Case {
  /** what was done to it */
  change: string
  algorithm: string
  /** the key record */
  record: string
  text: string
  /** base64 */
  signature: string
  verifies: boolean
}

const RSA = ['rsa-sha256', 'rsa-sha512', 'hs2019', 'rsa-pss-sha512'] as const
const RSA_KEYS = [
  { key: ONE, e: 65537n },
  { key: RSA_1024, e: 65537n },
  { key: EXPONENT_3, e: 3n }
]
const octets = (text: string): Buffer => Buffer.from(text, 'latin1')
const flipBit = (bytes: Uint8Array, random: Random): Buffer => {
  const flipped = Buffer.from(bytes)
  flipped[random.below(flipped.length)]! ^= 1 << random.below(8)
  return flipped
}

function signRsa(text: string, { privateKey }: TestKey, algorithm: (typeof RSA)[number]): Buffer {
  const hash = algorithm === 'rsa-sha256' ? 'sha256' : 'sha512'
  const isPss = algorithm === 'hs2019' || algorithm === 'rsa-pss-sha512'
  const padding = isPss ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING
  const saltLength = algorithm === 'hs2019' ? 20 : 64
  // A 1024-bit key has no room for SHA-512 with a salt of 64 bytes.
  const fits = !isPss || modulusLength(privateKey) > 1100 || algorithm === 'hs2019'
  return sign(hash, octets(text), {
    key: privateKey,
    padding,
    ...(isPss && { saltLength: fits ? saltLength : 0 })
  })
}

const modulusLength = (key: TestKey['privateKey']): number => key.asymmetricKeyDetails!.modulusLength!

/** One RSA case: a signature, changed as a number, as octets, or in its encoding; or a changed key. */
export function rsaCase(random: Random): Case {
  const { key, e } = random.pick(RSA_KEYS)
  const algorithm = random.pick(RSA)
  const text = `date: ${random.below(1e6)}`
  let numbers = { n: modulusOf(key), e }
  const length = Math.ceil(numbers.n.toString(2).length / 8)
  const good = signRsa(text, key, algorithm)
  let signature = good
  let signedText = text

  const changes: Readonly<Record<string, () => void>> = {
    nothing() {},
    'a bit of the signature'() {
      signature = flipBit(good, random)
    },
    'a bit of the encoding'() {
      const encoded = publicEncrypt({ key: key.publicKey, padding: constants.RSA_NO_PADDING }, good)
      const changed = flipBit(encoded, random)
      if (toInteger(changed) < numbers.n) signature = signEncoded(changed, key)
    },
    'octets added or cut'() {
      const zero = Buffer.alloc(1 + random.below(2))
      const forms = [
        Buffer.concat([zero, good]),
        Buffer.concat([good, zero]),
        good.subarray(1),
        good.subarray(0, -1)
      ]
      signature = random.pick(forms)
    },
    'another number'() {
      const { n } = numbers
      const number = random.pick([0n, 1n, 2n, n - 1n, n, n + 1n, n - toInteger(good), toInteger(good) + n])
      const size = Math.max(length, Math.ceil(number.toString(16).length / 2))
      signature = toOctets(number, size)
    },
    'another text'() {
      signedText = `${text} `
    },
    'a bit of the modulus'() {
      const changed = toInteger(flipBit(toOctets(numbers.n, length), random))
      // A key that is too short is refused before it is used.
      if (changed.toString(2).length >= 1024) numbers = { ...numbers, n: changed }
    },
    'another exponent'() {
      numbers = { ...numbers, e: random.pick([3n, 5n, 17n, 257n, 65537n, 65539n, 2n ** 32n + 1n]) }
      if (random.chance(0.5) && numbers.e === 3n && e === 3n) signature = cubeRoot(text, length)
    }
  }
  const change = random.pick(Object.keys(changes))
  changes[change]!()

  const data = octets(signedText)
  const der = (random.chance(0.5) ? rsaSpki : rsaPublicKey)(numbers.n, numbers.e)
  const verifies =
    algorithm === 'rsa-sha256' || algorithm === 'rsa-sha512'
      ? verifyPkcs1(data, signature, numbers, algorithm === 'rsa-sha256' ? 'sha256' : 'sha512')
      : verifyPss(data, signature, numbers, algorithm === 'rsa-pss-sha512' ? 64 : undefined)
  return {
    change,
    algorithm,
    record: `v=DKIM1; k=rsa; p=${der.toString('base64')}`,
    text: signedText,
    signature: signature.toString('base64'),
    verifies
  }
}

/** A number whose cube begins like a good encoding: what is forged where only the beginning is looked at. */
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

const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

/** One Ed25519 case. */
export function ed25519Case(random: Random): Case {
  const text = `date: ${random.below(1e6)}`
  const good = signText(text, ED25519, 'ed25519')
  let key: Uint8Array = Buffer.from(ED25519.p, 'base64')
  let signature = good
  let signedText = text
  const changes: Readonly<Record<string, () => void>> = {
    nothing() {},
    'a bit of the signature'() {
      signature = flipBit(good, random)
    },
    'the group order added'() {
      const s = toInteger(Buffer.from(good.subarray(32)).reverse()) + GROUP_ORDER
      signature = Buffer.concat([good.subarray(0, 32), toOctets(s, 32).reverse()])
    },
    'octets added or cut'() {
      signature = random.pick([
        good.subarray(1),
        good.subarray(0, -1),
        Buffer.concat([good, Buffer.alloc(1)])
      ])
    },
    'a bit of the key'() {
      key = flipBit(key, random)
    },
    'another text'() {
      signedText = `${text} `
    }
  }
  const change = random.pick(Object.keys(changes))
  changes[change]!()
  return {
    change,
    algorithm: 'ed25519',
    record: `v=DKIM1; k=ed25519; p=${Buffer.from(key).toString('base64')}`,
    text: signedText,
    signature: signature.toString('base64'),
    verifies: verifyEd25519(octets(signedText), signature, key)
  }
}
