/**
 * RFC 4648 section 3.5 and 3.1 to 3.3: the one canonical spelling, or nothing. `Buffer.from` skips what it does not
 * know, and forgives padding, stray bits and another alphabet; so it must have made a byte of every eight bits.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const isWhole = bytes.length === (text.length / 4) * 3 - padding
  return isWhole && !hasStrayBits(text, padding) && !isOtherwiseSpelt(text) ? bytes : undefined
}

/** Section 3.5: the bits that are left over in the character before the padding are zero. */
const hasStrayBits = (text: string, padding: 0 | 1 | 2): boolean =>
  padding > 0 &&
  !(padding === 1 ? 'AEIMQUYcgkosw048' : 'AQgw').includes(text.charAt(text.length - 1 - padding))

/** In the alphabet of section 5, or with characters that are cut down to an octet before they are looked up. */
const isOtherwiseSpelt = (text: string): boolean =>
  text.includes('-') || text.includes('_') || /[^\0-\xff]/.test(text)

export const encodeBase64 = (bytes: Uint8Array): string =>
  (bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).toString(
    'base64'
  )
