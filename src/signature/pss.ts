import { constants, createHash, publicEncrypt } from 'node:crypto'
import type { PublicKey } from '../key/import.ts'

const HASH_LENGTH = 64

/**
 * RSASSA-PSS with SHA-512 and MGF1 (RFC 8017 section 8.1.2), for the runtime whose `node:crypto` ignores the padding option:
 * Cloudflare Workers take PSS for PKCS#1 v1.5. The RSA operation is still the runtime's. All of it is public.
 *
 * @param saltLength as `node:crypto` takes it: octets, or RSA_PSS_SALTLEN_AUTO for any
 */
export function verifyPss(
  data: Uint8Array,
  signature: Uint8Array,
  { keyObject, bits }: PublicKey,
  saltLength: number
): boolean {
  let message: Buffer
  try {
    message = publicEncrypt({ key: keyObject, padding: constants.RSA_NO_PADDING }, signature)
  } catch {
    return false // not below the modulus
  }
  // Section 8.1.2 step 2c: one bit less than the modulus has, so there may be an octet too many.
  const length = Math.ceil((bits - 1) / 8)
  const surplus = message.length - length
  if (message.subarray(0, surplus).some(octet => octet !== 0)) return false
  return isEncodingOf(data, message.subarray(surplus), 8 * length - (bits - 1), saltLength)
}

/** EMSA-PSS-VERIFY, section 9.1.2; `unused` is how many bits of the first octet are. */
function isEncodingOf(data: Uint8Array, encoded: Uint8Array, unused: number, saltLength: number): boolean {
  const blockLength = encoded.length - HASH_LENGTH - 1
  const hash = encoded.subarray(blockLength, -1)
  // steps 3, 4 and 6
  if (encoded.at(-1) !== 0xbc || encoded[0]! >> (8 - unused) !== 0) return false

  // steps 7 to 9
  const mask = mgf1(hash, blockLength)
  const block = encoded.subarray(0, blockLength).map((octet, index) => octet ^ mask[index]!)
  block[0]! &= 0xff >> unused

  // step 10: zeros, a one, the salt
  const one = block.findIndex(octet => octet !== 0)
  if (block[one] !== 1) return false
  const salt = block.subarray(one + 1)
  if (saltLength !== constants.RSA_PSS_SALTLEN_AUTO && salt.length !== saltLength) return false

  // steps 12 to 14
  return sha512(new Uint8Array(8), sha512(data), salt).equals(hash)
}

/** Appendix B.2.1; two octets of the counter are enough for any key. */
function mgf1(seed: Uint8Array, length: number): Buffer {
  const hashes = Array.from({ length: Math.ceil(length / HASH_LENGTH) }, (_, counter) =>
    sha512(seed, Buffer.from([0, 0, counter >> 8, counter]))
  )
  return Buffer.concat(hashes)
}

function sha512(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha512')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
