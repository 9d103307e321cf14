/**
 * Decodes the one canonical encoding (RFC 4648 section 4, strictly: sections 3.1 to 3.3, 3.5); undefined for any other
 * text. `Buffer.from` accepts text that these sections forbid, so the bytes are encoded again and compared. The result
 * shares its memory with other buffers: copy it before a caller of the package gets it.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

export const encodeBase64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')
