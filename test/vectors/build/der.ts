/** Just enough DER (ITU-T X.690) to write public keys that no library would make. */

export const tlv = (tag: number, ...content: Uint8Array[]): Buffer => {
  const bytes = Buffer.concat(content)
  const length =
    bytes.length < 0x80
      ? [bytes.length]
      : bytes.length < 0x100
        ? [0x81, bytes.length]
        : [0x82, bytes.length >> 8, bytes.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), bytes])
}

export function integer(value: bigint): Buffer {
  const hex = value.toString(16)
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  return tlv(0x02, ...(bytes[0]! >= 0x80 ? [Buffer.from([0])] : []), bytes)
}

/** RFC 8017 appendix A.1.1: RSAPublicKey. */
export const rsaPublicKey = (modulus: bigint, exponent: bigint): Buffer =>
  tlv(0x30, integer(modulus), integer(exponent))

/** AlgorithmIdentifier of rsaEncryption, RFC 8017 appendix A.1. */
export const RSA_ENCRYPTION = Buffer.from('300d06092a864886f70d0101010500', 'hex')

/** RFC 5280 section 4.1: SubjectPublicKeyInfo of an RSA key. */
export const rsaSpki = (modulus: bigint, exponent: bigint): Buffer =>
  tlv(0x30, RSA_ENCRYPTION, tlv(0x03, Buffer.from([0]), rsaPublicKey(modulus, exponent)))

export const toInteger = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)

export const toOctets = (value: bigint, length: number): Buffer =>
  Buffer.from(value.toString(16).padStart(2 * length, '0'), 'hex')

/** The same RSA signature modulo n (RFC 8017 section 5.2.2), in as many octets; only small ones have one. */
export function addModulus(signature: Uint8Array, modulus: bigint): Buffer {
  const sum = toOctets(toInteger(signature) + modulus, signature.length)
  if (sum.length > signature.length) throw new Error('this is an octet too long: change the nonce')
  return sum
}
