import type { Writer } from './rewrite.ts'

/** Counts the bytes of a character (RFC 3629 section 3). */
export const sizeOf = (codePoint: number): number =>
  codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4

export function isNotAscii(body: Buffer): boolean {
  for (let i = 0; i < body.length; i++) if (body[i]! >= 0x80) return true
  return false
}

/** Decodes the character that begins at a byte; -1 where the bytes are not UTF-8. */
export function codePointAt(bytes: Buffer, at: number): number {
  const lead = bytes[at]!
  if (lead < 0x80) return lead
  const size = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0
  if (size === 0 || at + size > bytes.length) return -1
  let codePoint = lead & (0x7f >> size)
  for (let i = at + 1; i < at + size; i++) {
    const next = bytes[i]!
    if (next >> 6 !== 0b10) return -1
    codePoint = (codePoint << 6) | (next & 0x3f)
  }
  const isValid = sizeOf(codePoint) === size && !isSurrogate(codePoint) && codePoint <= 0x10ffff
  return isValid ? codePoint : -1
}

export function isUtf8(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; ) {
    const codePoint = codePointAt(bytes, at)
    if (codePoint < 0) return false
    at += sizeOf(codePoint)
  }
  return true
}

export const isSurrogate = (unit: number): boolean => unit >> 11 === 0b11011

/** Writes a character, and returns the length of the text. A surrogate, which has no partner, becomes U+FFFD. */
export function putUtf8(text: Buffer, length: number, codePoint: number): number {
  const char = isSurrogate(codePoint) ? 0xfffd : codePoint
  const size = sizeOf(char)
  // The first byte says with its first bits how many bytes there are.
  text[length] = LEADS[size]! | (char >> (6 * (size - 1)))
  for (let i = 1; i < size; i++) text[length + i] = 0x80 | ((char >> (6 * (size - 1 - i))) & 0x3f)
  return length + size
}

const LEADS: readonly number[] = [0, 0, 0xc0, 0xe0, 0xf0]

/** Writes the bytes that a reader took for Latin-1, and wrote as UTF-8. */
export const latin1FromUtf8: Writer = (body, text) => {
  let length = 0
  for (let i = 0; i < body.length && length <= text.length; ) {
    const codePoint = codePointAt(body, i)
    const isLatin1 = codePoint >= 0 && codePoint <= 0xff
    text[length++] = isLatin1 ? codePoint : body[i]!
    i += isLatin1 ? sizeOf(codePoint) : 1
  }
  return length
}

/** Writes the characters of Latin-1 as UTF-8. */
export const utf8FromLatin1: Writer = (body, text) => {
  let length = 0
  for (let i = 0; i < body.length && length <= text.length; i++) length = putUtf8(text, length, body[i]!)
  return length
}
