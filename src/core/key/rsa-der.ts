/**
 * Limits of the length of RSA keys, by default. RFC 8301 section 3.2: verifiers must not accept RSA keys below 1024
 * bits.
 */
export const RSA_BITS = { min: 1024, max: 8192 } as const

/** The content of the DER of an RSA public key. */
export interface RsaDer {
  form: 'spki' | 'pkcs1'
  /** length of the modulus */
  bits: number
  /** the octets of n, without leading zeros */
  modulus: Uint8Array
  /** an odd number of at least 3 (RFC 8017 section 3.1), and of at most 33 bits */
  isExponentGood: boolean
}

/** Verification raises to the exponent: one of 3064 bits costs 6 ms. 2^32 + 1 is the largest in use. */
const MAX_EXPONENT_BITS = 33

/** Tags of ITU-T X.690. */
const INTEGER = 0x02
const BIT_STRING = 0x03
const OBJECT_IDENTIFIER = 0x06
const SEQUENCE = 0x30

/** 1.2.840.113549.1.1.1 and its parameters, NULL (RFC 3279 section 2.3.1). */
const RSA_ENCRYPTION = '2a864886f70d010101'
const NULL = '0500'

/**
 * Parses SubjectPublicKeyInfo (RFC 5280 section 4.1) or RSAPublicKey (RFC 8017 appendix A.1.1) in strict DER: shortest
 * lengths and integers, no extra bytes. Runtimes differ in what they accept beyond that, and in which keys they refuse
 * as weak. `surplus` when bytes follow, `other` for a SubjectPublicKeyInfo of another type, undefined for anything
 * else.
 */
export function parseRsaDer(der: Uint8Array): RsaDer | 'surplus' | 'other' | undefined {
  const [outer, afterOuter] = firstElement(der, SEQUENCE)
  if (outer === undefined) return undefined
  if (afterOuter.length > 0) return 'surplus'
  if (outer[0] === INTEGER) return parseRsaPublicKey(outer, 'pkcs1')

  const [algorithm, afterAlgorithm] = firstElement(outer, SEQUENCE)
  const [oid, parameters] = firstElement(algorithm, OBJECT_IDENTIFIER)
  const bits = onlyElement(afterAlgorithm, BIT_STRING)
  // The first octet of a BIT STRING is the number of unused bits in the last one (X.690 section 8.6.2).
  if (oid === undefined || bits?.[0] !== 0) return undefined
  if (hex(oid) !== RSA_ENCRYPTION) return 'other'
  if (hex(parameters) !== NULL) return undefined
  return parseRsaPublicKey(onlyElement(bits.subarray(1), SEQUENCE), 'spki')
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function parseRsaPublicKey(content: Uint8Array | undefined, form: RsaDer['form']): RsaDer | undefined {
  const [modulus, afterModulus] = firstElement(content, INTEGER)
  const exponent = onlyElement(afterModulus, INTEGER)
  if (modulus === undefined || exponent === undefined) return undefined
  if (!isShortestNatural(modulus) || !isShortestNatural(exponent)) return undefined
  const isOdd = exponent.at(-1)! % 2 === 1
  const isOne = exponent.length === 1 && exponent[0] === 1
  return {
    form,
    bits: bitLength(modulus),
    modulus: modulus[0] === 0 ? modulus.subarray(1) : modulus,
    isExponentGood: isOdd && !isOne && bitLength(exponent) <= MAX_EXPONENT_BITS
  }
}

/**
 * Returns whether an INTEGER is a natural number in its shortest form (X.690 section 8.3.2): not negative, and without
 * a leading zero octet that the sign does not need.
 */
const isShortestNatural = (integer: Uint8Array): boolean =>
  integer[0] !== undefined && integer[0] < 0x80 && (integer[0] !== 0 || !(integer[1]! < 0x80))

/** Counts the bits of octets in the shortest form: a leading zero stands alone, or before an octet of eight bits. */
const bitLength = (natural: Uint8Array): number => natural.length * 8 - (Math.clz32(natural[0]!) - 24)

type Split = readonly [content: Uint8Array, rest: Uint8Array] | readonly [undefined, undefined]

/** Splits off the first element: its content, and the rest. */
function firstElement(bytes: Uint8Array | undefined, tag: number): Split {
  const none = [undefined, undefined] as const
  const short = bytes?.[1]
  if (bytes === undefined || short === undefined || bytes[0] !== tag) return none
  let [start, length] = [2, short]
  if (short >= 0x80) {
    start += short - 0x80
    length = bytes.subarray(2, start).reduce((total, octet) => total * 0x100 + octet, 0)
    // X.690 section 10.1: the shortest form
    if (length < 0x80 || bytes[2] === 0) return none
  }
  const end = start + length
  return end > bytes.length ? none : [bytes.subarray(start, end), bytes.subarray(end)]
}

/** Returns the content of an element that nothing follows. */
function onlyElement(bytes: Uint8Array | undefined, tag: number): Uint8Array | undefined {
  const [content, rest] = firstElement(bytes, tag)
  return rest?.length === 0 ? content : undefined
}
