/** A file as the octets of what was captured. */
export interface Decoded {
  bytes: Buffer
  notes: readonly string[]
}

const UTF16 =
  'the file is UTF-16, as PowerShell writes with >: its line ends and non-ASCII characters may differ from what was sent'

/** Undoes what editors and shells do to a file: a byte order mark is removed, and UTF-16 becomes UTF-8. */
export function decodeFile(bytes: Buffer): Decoded {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return { bytes: bytes.subarray(3), notes: [] }
  if (first === 0xff && second === 0xfe) return fromUtf16(bytes.subarray(2))
  if (first === 0xfe && second === 0xff) return fromUtf16(swapped(bytes.subarray(2)))
  if (isAsciiInUtf16(bytes, 1)) return fromUtf16(bytes)
  if (isAsciiInUtf16(bytes, 0)) return fromUtf16(swapped(bytes))
  return { bytes, notes: [] }
}

const fromUtf16 = (bytes: Buffer): Decoded => ({
  bytes: Buffer.from(bytes.toString('utf16le'), 'utf8'),
  notes: [UTF16]
})

/** An odd octet at the end is half a character that was cut off. */
const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16()

/** Without a mark: the first characters of any capture are ASCII, so every other octet is zero. */
function isAsciiInUtf16(bytes: Buffer, zerosAt: 0 | 1): boolean {
  if (bytes.length < 8) return false
  for (let at = 0; at < 8; at++) if ((bytes[at] === 0) !== (at % 2 === zerosAt)) return false
  return true
}
