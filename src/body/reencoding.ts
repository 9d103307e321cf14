import type { BodyChange, Reencoding } from '../verdict/evidence.ts'
import { formVariants, jsonVariants } from './variants.ts'

/** An attacker who captured a signed head can trigger this search with any body: only small ones are tried. */
const MAX_BODY_BYTES = 16_384

/** Of all texts that are tried, in characters: two milliseconds. */
const MAX_TRIED = 1_000_000

/** What happened to a body; nothing where that is not known. */
export interface FoundChange {
  reencoding?: Reencoding
  change?: BodyChange
}

/**
 * Finds what changed a body that does not match its digest: each common change is undone and tried. Some changes cannot
 * be undone, but leave traces.
 *
 * @param contentLength the length that was signed, if it was
 */
export function findChange(
  body: Uint8Array,
  contentLength: number | undefined,
  matches: (bytes: Uint8Array) => boolean
): FoundChange {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return (
    (body.length <= MAX_BODY_BYTES && findUndone(bytes, contentLength, matches)) ||
    findTrace(bytes, contentLength)
  )
}

function findUndone(
  body: Buffer,
  contentLength: number | undefined,
  matches: (bytes: Uint8Array) => boolean
): FoundChange | undefined {
  let left = MAX_TRIED
  for (const [found, undo] of UNDO) {
    for (const original of undo(body)) {
      left -= original.length
      if (left < 0) return undefined
      if ((contentLength ?? original.length) === original.length && matches(original)) return found
    }
  }
  return undefined
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf])
const hasBom = (body: Buffer): boolean => body.subarray(0, 3).equals(BOM)

/** How to undo each change. */
const UNDO: readonly (readonly [FoundChange, (body: Buffer) => Iterable<Buffer>])[] = [
  [
    { reencoding: 'newline-removed' },
    body => ['\n', '\r\n'].map(end => Buffer.concat([body, Buffer.from(end)]))
  ],
  [{ reencoding: 'newline-added' }, body => [/\r\n$/, /\n$/].map(end => replaced(body, end, ''))],
  [{ reencoding: 'crlf-to-lf' }, body => [replaced(body, /\n/g, '\r\n')]],
  [{ reencoding: 'lf-to-crlf' }, body => [replaced(body, /\r\n/g, '\n')]],
  [{ reencoding: 'bom-removed' }, body => (hasBom(body) ? [] : [Buffer.concat([BOM, body])])],
  [{ reencoding: 'bom-added' }, body => (hasBom(body) ? [body.subarray(3)] : [])],
  [{ change: 'latin1-as-utf8' }, body => [Buffer.from(body.toString('utf8'), 'latin1')]],
  [{ change: 'utf8-as-latin1' }, body => [Buffer.from(body.toString('latin1'), 'utf8')]],
  [{ change: 'base64-encoded' }, body => [Buffer.from(body.toString('latin1'), 'base64')]],
  [{ change: 'json-string' }, jsonString],
  [{ change: 'form-reserialized' }, body => formVariants(body)],
  [{ reencoding: 'json-reserialized' }, body => jsonVariants(body)]
]

/** Latin-1 keeps every byte as it is. */
const replaced = (body: Buffer, pattern: RegExp, replacement: string): Buffer =>
  Buffer.from(body.toString('latin1').replace(pattern, replacement), 'latin1')

function jsonString(body: Buffer): Buffer[] {
  if (body[0] !== 0x22) return []
  try {
    return [Buffer.from(String(JSON.parse(body.toString())))]
  } catch {
    return []
  }
}

/** U+FFFD, which a decoder of UTF-8 writes for bytes that are not UTF-8. */
const REPLACEMENT = Buffer.from('\ufffd')

/** How documents end, by how they begin. */
const ENDS: Readonly<Record<string, string>> = { '{': '}', '[': ']', '<': '>' }

function findTrace(body: Buffer, contentLength: number | undefined): FoundChange {
  if (/^\[object \w+\]$/.test(body.toString('latin1', 0, 40))) return { change: 'object-to-string' }
  const end = ENDS[body.toString('latin1', 0, 1)]
  const isCut = end !== undefined && contentLength !== undefined && contentLength > body.length
  if (
    isCut &&
    !body
      .toString('latin1', body.length - 10)
      .trimEnd()
      .endsWith(end)
  )
    return { change: 'cut-short' }
  return body.subarray(0, 65_536).includes(REPLACEMENT) ? { change: 'read-as-text' } : {}
}
