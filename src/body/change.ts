import type { Fields } from '../http/fields.ts'
import type { Reencoding } from '../result/evidence.ts'
import { addZeros, escapeAll, formVariants, fromUtf8, layOut, layOutAll, toUtf8 } from './serializations.ts'

/** An attacker who captured a signed head can trigger this search with any body: only small ones are tried. */
const MAX_BODY_BYTES = 16_384

/**
 * What all texts together may cost, in units of about a nanosecond. A verdict on a body that does not match may take
 * three times as long as hashing the body, and half a millisecond.
 */
const MAX_WORK = 110_000

/** A text costs this to copy and to hash, besides what its bytes cost. */
const TEXT_WORK = 1500
const BYTE_WORK = 1.5

/** Each byte costs this in a text that is written byte by byte. */
const WRITE_WORK = 3

/**
 * It costs this to find one part of a body, such as a line break, and to replace it. Of more parts none is replaced.
 */
const FIND_WORK = 50
const PART_WORK = 100
const MAX_PARTS = 600

/**
 * Finds what changed a body that does not match its digest: each common change is undone and tried, as far as the work
 * is allowed. Some changes cannot be undone, but leave traces.
 *
 * @param contentLength the length that was signed, if it was
 */
export function findChange(
  body: Uint8Array,
  contentLength: number | undefined,
  matches: (bytes: Uint8Array) => boolean
): Reencoding | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (body.length > MAX_BODY_BYTES) return findTrace(bytes, contentLength)
  const characters = bytes.toString('latin1')
  let left = MAX_WORK
  for (const { change, when, part, byteWork = BYTE_WORK, undo } of UNDO) {
    if (when?.test(characters) === false) continue
    const parts = part === undefined ? 0 : characters.split(part, MAX_PARTS + 2).length - 1
    left -= parts * FIND_WORK
    if (parts > MAX_PARTS || (parts === 0 && part !== undefined)) continue
    left -= parts * PART_WORK
    if (left < 0) break
    try {
      for (const original of undo(characters)) {
        left -= original === undefined ? parts * PART_WORK : TEXT_WORK + byteWork * original.length
        if (left < 0) break
        if (original === undefined || (contentLength ?? original.length) !== original.length) continue
        if (matches(Buffer.from(original, 'latin1'))) return change
      }
    } catch {
      // It is not JSON, or not a form.
      left -= byteWork * bytes.length
    }
  }
  return findTrace(bytes, contentLength)
}

/** How a change is undone. Bodies are in Latin-1 here: each byte is one character. */
interface Undo {
  readonly change: Reencoding
  /** what the body is; anything else is left alone */
  readonly when?: RegExp
  /** what is replaced in it */
  readonly part?: RegExp
  /** what a byte of such a text costs */
  readonly byteWork?: number
  /** the texts that the body may have been; undefined where all parts have been replaced once more */
  readonly undo: (body: string) => Iterable<string | undefined>
}

const JSON_CHANGE = { change: 'json-reserialized', when: /^\s*[[{"]/, byteWork: WRITE_WORK } as const

/** What some writers of JSON escape, and others do not: of UTF-8, the first byte of each character. */
const ESCAPABLE = /[\\/<>&\x7f\xc2-\xf4]/

const UNDO: readonly Undo[] = [
  { change: 'newline-removed', undo: body => [`${body}\n`, `${body}\r\n`] },
  { change: 'newline-added', when: /\n$/, undo: body => [body.replace(/\r\n$/, ''), body.replace(/\n$/, '')] },
  { change: 'crlf-to-lf', part: /\n/, undo: body => [body.replaceAll('\n', '\r\n')] },
  { change: 'lf-to-crlf', part: /\r\n/, undo: body => [body.replaceAll('\r\n', '\n')] },
  { change: 'bom-removed', when: /^(?!\xef\xbb\xbf)/, undo: body => [`\xef\xbb\xbf${body}`] },
  { change: 'bom-added', when: /^\xef\xbb\xbf/, undo: body => [body.slice(3)] },
  { change: 'latin1-as-utf8', undo: body => [fromUtf8(body)] },
  { change: 'utf8-as-latin1', undo: body => [toUtf8(body)] },
  { change: 'base64-encoded', undo: body => [Buffer.from(body, 'base64').toString('latin1')] },
  { change: 'json-string', when: /^"/, undo: body => [toUtf8(String(JSON.parse(fromUtf8(body))))] },
  { change: 'form-reserialized', when: /^[\x21-\x3c\x3e-\x7e]*=[\x21-\x7e]*$/, part: /[^a-z0-9]/i, undo: formVariants },
  { ...JSON_CHANGE, undo: layOutAll },
  { ...JSON_CHANGE, part: ESCAPABLE, undo: escapeAll },
  { ...JSON_CHANGE, part: /[,:[]/, undo: addZeros },
  // PHP makes an array of an empty object.
  { ...JSON_CHANGE, part: /\[\]/, undo: body => layOutAll(body.replaceAll('[]', '{}')) }
]

/** How documents end, by how they begin: JSON, XML, and the parts of multipart (RFC 2046 section 5.1.1). */
const ENDS: Readonly<Record<string, string>> = { '{': '}', '[': ']', '"': '"', '<': '>', '-': '--' }

/** A number or a word of JSON. */
const SCALAR = /^(?:-?\d[\d.eE+-]*|true|false|null)$/

function findTrace(body: Buffer, contentLength = 0): Reencoding | undefined {
  if (/^\[object \w+\]$/.test(body.toString('latin1', 0, 40))) return 'object-to-string'
  if (contentLength > body.length && !isWhole(body)) return 'cut-short'
  // A decoder of UTF-8 writes U+FFFD for bytes that are not UTF-8.
  return body.subarray(0, 65_536).includes('\ufffd') ? 'read-as-text' : undefined
}

/** Does the body end as it begins? Other text shows no end: only a number, a word of JSON or a form counts as whole. */
function isWhole(body: Buffer): boolean {
  const first = body.toString('latin1', 0, 1)
  const end = ENDS[first]
  const last = body.toString('latin1', Math.max(0, body.length - 10)).trimEnd()
  if (end !== undefined) return last.endsWith(end) && (!/[[{]/.test(first) || isClosed(body))
  const text = body.toString('latin1', 0, MAX_BODY_BYTES).trim()
  // A part of a form is a form, too.
  return SCALAR.test(text) || (text.includes('=') && /^[\x21-\x7e]*$/.test(text))
}

/** Is each bracket and string of this JSON closed? A long one is taken for that. */
function isClosed(json: Buffer): boolean {
  if (json.length > MAX_BODY_BYTES) return true
  try {
    layOut(json, ',', ':')
    return true
  } catch {
    return false
  }
}

/**
 * How a body of each coding begins: gzip (RFC 1952 section 2.3.1), zstd (RFC 8878 section 3.1.1). The others have no
 * magic bytes (RFC 1950 and RFC 7932).
 */
const MAGIC: ReadonlyMap<string, readonly number[]> = new Map([
  ['gzip', [0x1f, 0x8b]],
  ['x-gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['deflate', []],
  ['br', []]
])

/**
 * The Content-Encoding that a parser has already decoded: the body does not begin like that coding, or is longer than
 * Content-Length says. Undefined when nothing points to that.
 */
export function findDecompression(body: Uint8Array, { values }: Fields): string | undefined {
  const coding = values.get('content-encoding')?.toLowerCase() ?? ''
  const magic = MAGIC.get(coding)
  if (magic === undefined || body.length === 0) return undefined
  if (magic.length > 0 && magic.every((byte, i) => body[i] === byte)) return undefined

  const length = values.get('content-length') ?? ''
  const isLonger = /^\d{1,15}$/.test(length) && Number(length) < body.length
  return isLonger || magic.length > 0 ? coding : undefined
}
