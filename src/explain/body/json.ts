// Writes JSON as other programs do, to find the bytes of a body before a parser read it. Each writer goes over the
// bytes of the body once, from left to right.

import { hexAt } from './form.ts'
import type { Writer } from './rewrite.ts'
import { codePointAt, isSurrogate, putUtf8, sizeOf } from './utf8.ts'

const SPACE = 0x20
const QUOTE = 0x22
const MINUS = 0x2d
const DOT = 0x2e
const SLASH = 0x2f
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const LETTER_U = 0x75
const DELETE = 0x7f
/** the first byte of U+2028 and U+2029 */
const LINE_SEPARATOR = 0xe2

/** Kinds of a byte outside of strings. */
const [SCALAR, WHITE, STRING, OPEN, CLOSE, COMMA, COLON] = [0, 1, 2, 3, 4, 5, 6]
const KINDS = new Uint8Array(256)
for (let byte = 0; byte <= SPACE; byte++) KINDS[byte] = WHITE
for (const [i, chars] of ['"', '[{', ']}', ',', ':'].entries())
  for (const byte of Buffer.from(chars)) KINDS[byte] = STRING + i

/** Finds the first byte from here on that is not white space. */
function startOf(json: Buffer, from = 0): number {
  let at = from
  while (at < json.length && KINDS[json[at]!] === WHITE) at++
  return at
}

/** Finds the end of a string, behind its quote. Behind the body for a string that is not closed. */
function endOfString(json: Buffer, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at + 1
}

/** Finds the end of a number or a word. */
function endOfScalar(json: Buffer, start: number): number {
  let at = start + 1
  while (at < json.length && KINDS[json[at]!] === SCALAR) at++
  return at
}

/** Finds the end of a string, of a number or a word, or of any other byte. */
function endOfToken(json: Buffer, start: number): number {
  const kind = KINDS[json[start]!]
  return kind === STRING ? endOfString(json, start) : kind === SCALAR ? endOfScalar(json, start) : start + 1
}

/** Returns whether all strings and brackets are closed. */
export function isClosed(json: Buffer): boolean {
  let depth = 0
  let at = 0
  while (at < json.length) {
    const kind = KINDS[json[at]!]!
    if (kind === OPEN) depth++
    if (kind === CLOSE) depth--
    at = kind === STRING ? endOfString(json, at) : at + 1
  }
  return at === json.length && depth === 0
}

/** Returns whether this is an object, an array or a string, with all strings and brackets closed. */
export function isJson(body: Buffer): boolean {
  const kind = KINDS[body[startOf(body)] ?? SPACE]
  return (kind === OPEN || kind === STRING) && isClosed(body)
}

/** Writes ASCII, and returns the length of the text. */
function put(text: Buffer, length: number, ascii: string): number {
  for (let i = 0; i < ascii.length; i++) text[length + i] = ascii.charCodeAt(i)
  return length + ascii.length
}

/** Writes a part of the body as it is, and returns the length of the text. */
function copy(text: Buffer, length: number, body: Buffer, start: number, end: number): number {
  for (let i = start; i < end; i++) text[length + i - start] = body[i]!
  return length + end - start
}

/** Indentation multiplies the size of a text by its depth. */
const MAX_DEPTH = 16

/** Makes a writer of one layout, by the text after a comma, after a colon, and for each level of indentation. */
function layoutWriter(comma: string, colon: string, indent?: string): Writer {
  const putLine = (text: Buffer, start: number, depth: number): number => {
    if (indent === undefined) return start
    let length = put(text, start, '\n')
    for (let level = 0; level < depth && level < MAX_DEPTH; level++) length = put(text, length, indent)
    return length
  }
  return (json, text) => {
    let length = 0
    let depth = 0
    let isAfterOpen = false
    for (let i = 0; i < json.length && length <= text.length; i++) {
      const byte = json[i]!
      const kind = KINDS[byte]
      if (kind === WHITE) continue
      if (kind === SCALAR && !isAfterOpen) {
        text[length++] = byte
        continue
      }
      if (kind === CLOSE) depth--
      // An empty array or object has nothing between its brackets.
      if (isAfterOpen !== (kind === CLOSE)) length = putLine(text, length, depth)
      isAfterOpen = kind === OPEN
      if (kind === OPEN) depth++
      if (kind === COMMA) length = putLine(text, put(text, length, comma), depth)
      else if (kind === COLON) length = put(text, length, colon)
      else if (kind === STRING) {
        const end = endOfString(json, i)
        length = copy(text, length, json, i, end)
        i = end - 1
      } else text[length++] = byte
    }
    return length
  }
}

/** The layouts of JSON.stringify and of Python. */
export const COMMON_LAYOUTS: readonly Writer[] = [layoutWriter(',', ':'), layoutWriter(', ', ': ')]

export const INDENTED_LAYOUTS: readonly Writer[] = ['  ', '    ', '\t'].map(indent => layoutWriter(',', ': ', indent))

/** The characters that a writer of JSON escapes besides those that must be escaped. */
interface EscapeStyle {
  readonly hasSlashes?: boolean
  readonly isAscii?: boolean
  /** `<`, `>`, `&`, U+2028 and U+2029 */
  readonly isForHtml?: boolean
}

const isOfHtml = (codePoint: number): boolean =>
  codePoint === 0x3c || codePoint === 0x3e || codePoint === 0x26 || codePoint === 0x2028 || codePoint === 0x2029

/** Returns whether there is a character that some writers escape, or an escape. */
export function isEscapable(json: Buffer): boolean {
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]!
    if (byte >= DELETE || byte === BACKSLASH || byte === SLASH || isOfHtml(byte)) return true
  }
  return false
}

/** Makes a writer of escapes. In JSON, what writers escape is in strings only. */
function escapeWriter({ hasSlashes = false, isAscii = false, isForHtml = false }: EscapeStyle): Writer {
  const isPlain = (byte: number): boolean =>
    byte !== BACKSLASH &&
    !(hasSlashes && byte === SLASH) &&
    !(isAscii && byte >= DELETE) &&
    !(isForHtml && (isOfHtml(byte) || byte === LINE_SEPARATOR))
  const plain = Uint8Array.from({ length: 256 }, (_, byte) => Number(isPlain(byte)))
  const putCharacter = (text: Buffer, length: number, codePoint: number): number => {
    if (codePoint === SLASH && hasSlashes) return put(text, length, '\\/')
    const isEscaped = (isAscii && codePoint >= DELETE) || (isForHtml && isOfHtml(codePoint))
    return isEscaped ? putEscape(text, length, codePoint) : putUtf8(text, length, codePoint)
  }
  const putDecoded = (text: Buffer, length: number, codePoint: number): number => {
    const short = codePoint <= BACKSLASH ? SHORT_ESCAPES.get(codePoint) : undefined
    if (short !== undefined) return put(text, length, short)
    const mustBeEscaped = codePoint < SPACE || isSurrogate(codePoint)
    return mustBeEscaped ? putEscape(text, length, codePoint) : putCharacter(text, length, codePoint)
  }
  return (json, text) => {
    let length = 0
    for (let i = 0; i < json.length && length <= text.length; ) {
      const byte = json[i]!
      if (plain[byte] === 1) {
        text[length++] = byte
        i++
      } else if (byte !== BACKSLASH) {
        const codePoint = codePointAt(json, i)
        length = codePoint < 0 ? copy(text, length, json, i, i + 1) : putCharacter(text, length, codePoint)
        i += sizeOf(codePoint)
      } else {
        const codePoint = escapedAt(json, i)
        if (codePoint >= 0) length = putDecoded(text, length, codePoint)
        else if (json[i + 1] === SLASH) length = putCharacter(text, length, SLASH)
        else length = copy(text, length, json, i, i + 2)
        i += escapeSize(codePoint)
      }
    }
    return length
  }
}

/** Returns the character of \\uXXXX, or of two such for a pair of surrogates; -1 for another escape. */
function escapedAt(json: Buffer, at: number): number {
  const unit = unitAt(json, at)
  if (unit >> 10 !== 0b110110) return unit
  const low = unitAt(json, at + 6)
  return low >> 10 === 0b110111 ? 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff) : unit
}

const unitAt = (json: Buffer, at: number): number =>
  json[at] === BACKSLASH && json[at + 1] === LETTER_U ? hexAt(json, at + 2, 4) : -1

/** Counts the bytes of that escape. */
const escapeSize = (codePoint: number): number => (codePoint < 0 ? 2 : codePoint > 0xffff ? 12 : 6)

/** The escapes of JSON.stringify (RFC 8259 section 7). */
const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map(
  ['"', '\\', '\b', '\f', '\n', '\r', '\t'].map(char => [char.charCodeAt(0), JSON.stringify(char).slice(1, -1)])
)

/** Writes the escape of a character, or two for one beyond U+FFFF. Returns the length of the text. */
function putEscape(text: Buffer, start: number, codePoint: number): number {
  let [length, unit] = [start, codePoint]
  if (codePoint > 0xffff) {
    length = putEscape(text, start, 0xd800 + ((codePoint - 0x10000) >> 10))
    unit = 0xdc00 + (codePoint & 0x3ff)
  }
  text[length] = BACKSLASH
  text[length + 1] = LETTER_U
  for (let i = 0; i < 4; i++) text[length + 2 + i] = HEX[(unit >> (12 - 4 * i)) & 15]!
  return length + 6
}

const HEX = Buffer.from('0123456789abcdef')

/** The escapes of JSON.stringify, and those of writers that also escape slashes, all but ASCII, or HTML. */
export const ESCAPES: readonly Writer[] = [
  escapeWriter({}),
  escapeWriter({ hasSlashes: true }),
  escapeWriter({ isAscii: true }),
  escapeWriter({ hasSlashes: true, isAscii: true }),
  escapeWriter({ isForHtml: true })
]

/** Makes a writer that adds to each number or word the zeros that `zeros` says. */
function zerosWriter(zeros: (json: Buffer, start: number, end: number) => string): Writer {
  return (json, text) => {
    let length = 0
    for (let i = 0; i < json.length && length <= text.length; ) {
      const end = endOfToken(json, i)
      length = copy(text, length, json, i, end)
      if (KINDS[json[i]!] === SCALAR) length = put(text, length, zeros(json, i, end))
      i = end
    }
    return length
  }
}

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39

/** Counts the digits of a number behind its point: 0 for an integer, -1 for anything else, such as 1e3. */
function decimalsOf(json: Buffer, start: number, end: number): number {
  const first = json[start] === MINUS ? start + 1 : start
  let point = end
  for (let i = first; i < end; i++) {
    if (json[i] === DOT && point === end) point = i
    else if (!isDigit(json[i]!)) return -1
  }
  if (point === first) return -1
  return point === end ? 0 : end - point - 1
}

/** Writers that add the zeros that parsers drop, as in 1.0 and 1.50: to all numbers one decimal, or two. */
export const ZEROS: readonly Writer[] = [
  zerosWriter((json, start, end) => (decimalsOf(json, start, end) === 0 ? '.0' : '')),
  zerosWriter((json, start, end) => TWO_DECIMALS[decimalsOf(json, start, end)] ?? '')
]

const TWO_DECIMALS: readonly string[] = ['.00', '0']

/** Makes a writer that adds a zero to each integer that is the same as this one. */
export const zeroWriter = (integer: Buffer): Writer =>
  zerosWriter((json, start, end) => (isSame(integer, json, start, end) ? '.0' : ''))

function isSame(integer: Buffer, json: Buffer, start: number, end: number): boolean {
  if (end - start !== integer.length) return false
  for (let i = 0; i < integer.length; i++) if (json[start + i] !== integer[i]) return false
  return true
}

/** Finds the next integer from here on; undefined behind the last one. */
export function nextInteger(json: Buffer, from: number): { start: number; end: number } | undefined {
  for (let start = from, end = from; start < json.length; start = end) {
    end = endOfToken(json, start)
    if (KINDS[json[start]!] === SCALAR && decimalsOf(json, start, end) === 0) return { start, end }
  }
  return undefined
}

/** Writes an object for each empty array: PHP makes an array of an empty object. */
export const emptyObjects: Writer = (json, text) => {
  let length = 0
  for (let i = 0; i < json.length && length <= text.length; ) {
    const isEmpty = json[i] === OPEN_ARRAY && json[i + 1] === CLOSE_ARRAY
    const end = isEmpty ? i + 2 : endOfToken(json, i)
    length = isEmpty ? put(text, length, '{}') : copy(text, length, json, i, end)
    i = end
  }
  return length
}

/** Returns whether this is one string, and nothing else. */
export function isString(json: Buffer): boolean {
  const start = startOf(json)
  const end = json[start] === QUOTE ? endOfString(json, start) : 0
  return end > 0 && end <= json.length && startOf(json, end) === json.length
}

/** Writes the text that a string of JSON holds. */
export const unquoted: Writer = (json, text) => {
  let length = 0
  for (let i = startOf(json) + 1; i < json.length && json[i] !== QUOTE && length <= text.length; ) {
    if (json[i] !== BACKSLASH) {
      text[length++] = json[i++]!
      continue
    }
    const codePoint = escapedAt(json, i)
    if (codePoint >= 0) length = putUtf8(text, length, codePoint)
    else text[length++] = UNESCAPED.get(json[i + 1]!) ?? BACKSLASH
    i += escapeSize(codePoint)
  }
  return length
}

/** The character for each letter behind a backslash. */
const UNESCAPED: ReadonlyMap<number, number> = new Map([
  [SLASH, SLASH],
  ...[...SHORT_ESCAPES].map(([codePoint, short]): [number, number] => [short.charCodeAt(1), codePoint])
])
