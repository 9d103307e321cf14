import type { Reencoding } from './evidence.ts'

/** The guess is a courtesy to a person: it must not cost more than the verification, whoever wrote the body. */
const MAX_BODY_BYTES = 65_536

/** Indenting multiplies a body by its depth, and what is too deep cannot be written at all. */
const MAX_DEPTH = 16

/**
 * Which common way of writing a body anew explains that it no longer has its digest? Each is undone and tried. Only
 * for bodies whose head was verified and that are not large, and a handful of digests at most.
 */
export function findReencoding(
  body: Uint8Array,
  matches: (bytes: Uint8Array) => boolean
): Reencoding | undefined {
  if (body.length > MAX_BODY_BYTES) return undefined
  for (const [reencoding, undo] of UNDO) {
    for (const original of undo(Buffer.from(body.buffer, body.byteOffset, body.byteLength))) {
      if (matches(original)) return reencoding
    }
  }
  return undefined
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf])
const hasBom = (body: Buffer): boolean => body.subarray(0, 3).equals(BOM)

/** What the body was before, if this is what happened to it. */
const UNDO: readonly (readonly [Reencoding, (body: Buffer) => Buffer[]])[] = [
  ['trailing newline removed', body => ['\n', '\r\n'].map(end => Buffer.concat([body, Buffer.from(end)]))],
  ['trailing newline added', body => [/\r\n$/, /\n$/].flatMap(end => replaced(body, end, ''))],
  ['CRLF turned into LF', body => replaced(body, /\n/g, '\r\n')],
  ['LF turned into CRLF', body => replaced(body, /\r\n/g, '\n')],
  ['byte order mark removed', body => (hasBom(body) ? [] : [Buffer.concat([BOM, body])])],
  ['byte order mark added', body => (hasBom(body) ? [body.subarray(3)] : [])],
  ['JSON written anew', jsonSpellings]
]

/** Latin-1 keeps every byte as it is. */
function replaced(body: Buffer, pattern: RegExp, replacement: string): Buffer[] {
  const text = body.toString('latin1')
  const changed = text.replace(pattern, replacement)
  return changed === text ? [] : [Buffer.from(changed, 'latin1')]
}

/** The spellings of other languages' JSON writers: with spaces, indented, with a newline, with escapes. */
function jsonSpellings(body: Buffer): Buffer[] {
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    return []
  }
  if (isDeeperThan(MAX_DEPTH, value)) return []
  const compact = JSON.stringify(value)
  const spaced = JSON.stringify(value, null, 1)
    .replace(/\n */g, ' ')
    .replace(/([[{]) | ([\]}])/g, '$1$2')
  const spellings = [compact, spaced, JSON.stringify(value, null, 2), JSON.stringify(value, null, 4)]
  return spellings
    .flatMap(text => [text, `${text}\n`, text.replaceAll('/', '\\/')])
    .flatMap(text => [text, escapeNonAscii(text)])
    .map(text => Buffer.from(text, 'utf8'))
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(child => isDeeperThan(levels - 1, child))
}

const escapeNonAscii = (text: string): string =>
  text.replace(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
