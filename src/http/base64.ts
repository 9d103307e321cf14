/**
 * RFC 4648 section 4, strictly (sections 3.1 to 3.3, 3.5): the one canonical encoding, or undefined. `Buffer.from`
 * accepts what these sections forbid; and on processors with AVX-512 the RSA operation after its decoder takes 8 %
 * longer, here 5 % of a verification.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const end = text.length - padding
  const bytes = Buffer.allocUnsafe((text.length / 4) * 3 - padding)
  let group = 0
  for (let i = 0, at = 0; i < text.length; i += 4) {
    group =
      (bitsAt(text, i, end) << 18) |
      (bitsAt(text, i + 1, end) << 12) |
      (bitsAt(text, i + 2, end) << 6) |
      bitsAt(text, i + 3, end)
    if (group < 0) return undefined
    bytes[at++] = group >> 16
    bytes[at++] = group >> 8
    bytes[at++] = group
  }
  // Section 3.5: the bits that are left over are zero.
  const leftOver = group & ((1 << (8 * padding)) - 1)
  return leftOver === 0 ? bytes : undefined
}

/** The six bits of a character, 0 for padding; negative for one that is not in the alphabet. */
function bitsAt(text: string, at: number, end: number): number {
  return at < end ? (BITS[text.charCodeAt(at)] ?? -1) : 0
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const BITS = /* @__PURE__ */ Int8Array.from({ length: 128 }, (_, code) =>
  ALPHABET.indexOf(String.fromCharCode(code))
)

export const encodeBase64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')
