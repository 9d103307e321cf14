import { assertWithin } from './capture.ts'

const [QUOTE, BACKSLASH, NEWLINE, COMMA, COLON] = [...Buffer.from('"\\\n,:')]
const OPENING: ReadonlySet<number> = new Set(Buffer.from('[{'))
const CLOSING: ReadonlySet<number> = new Set(Buffer.from(']}'))
const WHITE_SPACE: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'))

/** Reports about a document what `JSON.parse` does not. */
export interface Measured {
  /** where the first comma is that stands before a closing bracket */
  readonly comma: number | undefined
  /** whether a name is twice in one object: the parser gives the last value alone */
  readonly hasRepeatedName: boolean
}

/**
 * Counts values and levels before anything is parsed: the parser of the platform takes memory for each.
 *
 * @throws UsageError above a limit
 */
export function measureJson(bytes: Buffer): Measured {
  let [values, depth, comma] = [1, 0, -1]
  let found: number | undefined
  let hasRepeatedName = false
  let named = 0
  const names: Set<string>[] = [new Set()]
  for (let at = 0; at < bytes.length; at++) {
    const octet = bytes[at]!
    if (WHITE_SPACE.has(octet)) continue
    if (octet === QUOTE) {
      const end = endOfString(bytes, at)
      if (isName(bytes, end)) {
        assertWithin('JSON values', ++named)
        const name = bytes.toString('latin1', at + 1, Math.min(end, at + MAX_NAME))
        hasRepeatedName ||= names.at(-1)!.has(name)
        names.at(-1)!.add(name)
      }
      at = end
    }
    if (OPENING.has(octet)) {
      assertWithin('levels of nested JSON', ++depth)
      names.push(new Set())
    }
    if (CLOSING.has(octet)) {
      depth--
      if (names.length > 1) names.pop()
    }
    if (CLOSING.has(octet) && comma >= 0) found ??= comma
    comma = octet === COMMA ? at : -1
    if (comma >= 0 || OPENING.has(octet)) assertWithin('JSON values', ++values)
  }
  return { comma: found, hasRepeatedName }
}

/** Names are compared up to this length. */
const MAX_NAME = 256

/** Returns whether a colon follows a string. */
function isName(bytes: Buffer, end: number): boolean {
  let at = end + 1
  while (WHITE_SPACE.has(bytes[at]!)) at++
  return bytes[at] === COLON
}

/** Finds the closing quote, or the line break or the end that cuts the string off. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== QUOTE && bytes[at] !== NEWLINE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

/** Returns the number of the line, from 1, that this position is on. */
export function lineOf(bytes: Buffer, position: number): number {
  let line = 1
  for (const octet of bytes.subarray(0, position)) if (octet === NEWLINE) line++
  return line
}
