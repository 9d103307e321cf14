/**
 * RFC 4648 section 3.5 and 3.1 to 3.3: the one canonical spelling, or nothing. `Buffer.from` skips what it does
 * not know and forgives padding and stray bits; what it made must therefore give back the same text.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

export const encodeBase64 = (bytes: Uint8Array): string =>
  (bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).toString(
    'base64'
  )
