import type { Reencoding } from '../verdict/evidence.ts'

/** An attacker who captured a signed head can trigger this search with any body: it takes at most ten milliseconds. */
const MAX_BODY_BYTES = 16_384

/**
 * Indenting multiplies the size of a body by its depth, and JSON that is nested too deeply cannot be written at all.
 */
const MAX_DEPTH = 16

/**
 * Finds the common re-encoding that explains why a body does not match its digest: each one is undone and tried. Only
 * for small bodies whose head was verified, and for a handful of digests at most.
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

/** How to undo each re-encoding. */
const UNDO: readonly (readonly [Reencoding, (body: Buffer) => Iterable<Buffer>])[] = [
  ['newline-removed', body => ['\n', '\r\n'].map(end => Buffer.concat([body, Buffer.from(end)]))],
  ['newline-added', body => [/\r\n$/, /\n$/].map(end => replaced(body, end, ''))],
  ['crlf-to-lf', body => [replaced(body, /\n/g, '\r\n')]],
  ['lf-to-crlf', body => [replaced(body, /\r\n/g, '\n')]],
  ['bom-removed', body => (hasBom(body) ? [] : [Buffer.concat([BOM, body])])],
  ['bom-added', body => (hasBom(body) ? [body.subarray(3)] : [])],
  ['json-reserialized', jsonSpellings]
]

/** Latin-1 keeps every byte as it is. */
const replaced = (body: Buffer, pattern: RegExp, replacement: string): Buffer =>
  Buffer.from(body.toString('latin1').replace(pattern, replacement), 'latin1')

/**
 * JSON as other writers serialize it: compact (JavaScript, Ruby, Go), with spaces (Python), indented; with slashes
 * escaped (PHP), with <, > and & escaped (Go, Rails), or with non-ASCII escaped (Python, PHP); with a newline at the
 * end. What parsing lost (1.0, duplicate keys) cannot be restored.
 */
function* jsonSpellings(body: Buffer): Generator<Buffer> {
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    return
  }
  if (isDeeperThan(MAX_DEPTH, value)) return
  for (const json of [...[0, 2, 4, '\t'].map(indent => JSON.stringify(value, null, indent)), spaced(value)]) {
    const slashes = json.replaceAll('/', '\\/')
    const html = escaped(json, /[<>&\u2028\u2029]/g)
    for (const spelling of new Set([json, ascii(json), slashes, ascii(slashes), html])) {
      yield Buffer.from(spelling)
      yield Buffer.from(`${spelling}\n`)
    }
  }
}

/** `{"a": 1, "b": [2, 3]}`: in indented JSON a line break is never part of a string. */
const spaced = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replace(/(?<=[[{])\n *|\n *(?=[\]}])/g, '')
    .replace(/\n */g, ' ')

const ascii = (json: string): string => escaped(json, /[^\0-~]/g)

const escaped = (json: string, units: RegExp): string =>
  json.replace(units, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(child => isDeeperThan(levels - 1, child))
}
