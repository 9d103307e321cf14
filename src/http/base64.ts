/**
 * RFC 4648 section 4, strictly (sections 3.1 to 3.3, 3.5): the one canonical encoding, or undefined. `Buffer.from`
 * accepts what these sections forbid, and only the canonical encoding is what it is encoded to again.
 * Its memory is shared with other buffers: what a caller of the package gets is copied.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

export const encodeBase64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')
