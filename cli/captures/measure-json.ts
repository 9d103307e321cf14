import { assertWithin } from './capture.ts'

const [QUOTE, BACKSLASH, NEWLINE, COMMA] = [...Buffer.from('"\\\n,')]
const OPENING: ReadonlySet<number> = new Set(Buffer.from('[{'))
const CLOSING: ReadonlySet<number> = new Set(Buffer.from(']}'))
const WHITE_SPACE: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'))

/**
 * Counts values and levels before anything is parsed: the parser of the platform takes memory for each. Returns where
 * the first comma is that stands before a closing bracket.
 *
 * @throws UsageError above a limit
 */
export function measureJson(bytes: Buffer): number | undefined {
  let [values, depth, comma] = [1, 0, -1]
  let found: number | undefined
  for (let at = 0; at < bytes.length; at++) {
    const octet = bytes[at]!
    if (WHITE_SPACE.has(octet)) continue
    if (octet === QUOTE) at = endOfString(bytes, at)
    if (OPENING.has(octet)) assertWithin('levels of nested JSON', ++depth)
    if (CLOSING.has(octet)) depth--
    if (CLOSING.has(octet) && comma >= 0) found ??= comma
    comma = octet === COMMA ? at : -1
    if (comma >= 0 || OPENING.has(octet)) assertWithin('JSON values', ++values)
  }
  return found
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
