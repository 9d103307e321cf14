import type { Fields } from '../../core/http/fields.ts'

/**
 * The first bytes of a body of each coding: gzip (RFC 1952 section 2.3.1), zstd (RFC 8878 section 3.1.1). The others
 * have no magic bytes (RFC 1950 and RFC 7932).
 */
const MAGIC: ReadonlyMap<string, readonly number[]> = new Map([
  ['gzip', [0x1f, 0x8b]],
  ['x-gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['deflate', []],
  ['br', []]
])

const codingIn = (values: Fields['values']): string => values.get('content-encoding')?.toLowerCase() ?? ''

const isCompressed = (body: Uint8Array, magic: readonly number[]): boolean =>
  magic.length > 0 && magic.every((byte, i) => body[i] === byte)

/** Finds the Content-Encoding that the body still has, by its first bytes. */
export function findCompression(body: Uint8Array, { values }: Fields): string | undefined {
  const coding = codingIn(values)
  const magic = MAGIC.get(coding)
  return magic !== undefined && isCompressed(body, magic) ? coding : undefined
}

/**
 * Finds the Content-Encoding that a parser has already decoded: the body does not begin like that coding, or is longer
 * than Content-Length says. Undefined when nothing points to that.
 */
export function findDecompression(body: Uint8Array, { values }: Fields): string | undefined {
  const coding = codingIn(values)
  const magic = MAGIC.get(coding)
  if (magic === undefined || body.length === 0 || isCompressed(body, magic)) return undefined

  const length = values.get('content-length') ?? ''
  const isLonger = /^\d{1,15}$/.test(length) && Number(length) < body.length
  return isLonger || magic.length > 0 ? coding : undefined
}
