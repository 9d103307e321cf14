// Writes JSON as named serializers do, to find the bytes of a body before a parser read it. Each writer goes over the
// bytes of the body once, from left to right.

import { hexAt } from './form.ts'
import type { Writer } from './rewrite.ts'
import { codePointAt, isSurrogate, putUtf8, sizeOf } from './utf8.ts'

const SPACE = 0x20
const QUOTE = 0x22
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

/** The characters that a serializer of JSON escapes besides those that must be escaped, and how. */
interface EscapeStyle {
  readonly hasSlashes?: boolean
  /** the first character of those that it escapes up to the end of Unicode */
  readonly from?: number
  /** single characters that it escapes */
  readonly others?: string
  readonly isUpperCase?: boolean
}

/** Line breaks of JavaScript that JSON does not escape; both begin with the same byte. */
const SEPARATORS = '\u2028\u2029'

/** Makes a writer of escapes. In JSON, what writers escape is in strings only. */
function escapeWriter({ hasSlashes, from = NONE, others = '', isUpperCase }: EscapeStyle): Writer {
  const digits = isUpperCase ? UPPER_HEX : HEX
  const escaped = new Set(Array.from(others, char => char.codePointAt(0)!))
  const hasSeparators = others.includes(SEPARATORS)
  const isPlain = (byte: number): boolean =>
    byte !== BACKSLASH &&
    !(hasSlashes && byte === SLASH) &&
    !(byte >= Math.min(from, 0x80) && from !== NONE) &&
    !escaped.has(byte) &&
    !(hasSeparators && byte === LINE_SEPARATOR)
  const plain = Uint8Array.from({ length: 256 }, (_, byte) => Number(isPlain(byte)))
  const putCharacter = (text: Buffer, length: number, codePoint: number): number => {
    if (codePoint === SLASH && hasSlashes) return put(text, length, '\\/')
    const isEscaped = codePoint >= from || escaped.has(codePoint)
    return isEscaped ? putEscape(text, length, codePoint, digits) : putUtf8(text, length, codePoint)
  }
  const putDecoded = (text: Buffer, length: number, codePoint: number): number => {
    const short = codePoint <= BACKSLASH ? SHORT_ESCAPES.get(codePoint) : undefined
    if (short !== undefined) return put(text, length, short)
    const mustBeEscaped = codePoint < SPACE || isSurrogate(codePoint)
    return mustBeEscaped ? putEscape(text, length, codePoint, digits) : putCharacter(text, length, codePoint)
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
function putEscape(text: Buffer, start: number, codePoint: number, digits: Buffer): number {
  let [length, unit] = [start, codePoint]
  if (codePoint > 0xffff) {
    length = putEscape(text, start, 0xd800 + ((codePoint - 0x10000) >> 10), digits)
    unit = 0xdc00 + (codePoint & 0x3ff)
  }
  text[length] = BACKSLASH
  text[length + 1] = LETTER_U
  for (let i = 0; i < 4; i++) text[length + 2 + i] = digits[(unit >> (12 - 4 * i)) & 15]!
  return length + 6
}

const HEX = Buffer.from('0123456789abcdef')
const UPPER_HEX = Buffer.from('0123456789ABCDEF')

/** Behind the last character of Unicode. */
const NONE = 0x110000

const COMPACT = layoutWriter(',', ':')
const SPACED = layoutWriter(', ', ': ')
const TWO_SPACES = layoutWriter(',', ': ', '  ')
const FOUR_SPACES = layoutWriter(',', ': ', '    ')
const TABS = layoutWriter(',', ': ', '\t')

/** A serializer: its escapes, and the layouts that its options give. */
export interface Serializer {
  readonly name: string
  readonly escapes: Writer
  readonly layouts: readonly Writer[]
}

/** The most common ones are first. */
export const SERIALIZERS: readonly Serializer[] = [
  {
    name: 'JSON.stringify; json.dumps(ensure_ascii=False) of Python',
    escapes: escapeWriter({}),
    layouts: [COMPACT, SPACED, TWO_SPACES, FOUR_SPACES, TABS]
  },
  {
    name: 'json.dumps() of Python',
    escapes: escapeWriter({ from: DELETE }),
    layouts: [SPACED, COMPACT, TWO_SPACES, FOUR_SPACES]
  },
  {
    name: 'json_encode() of PHP',
    escapes: escapeWriter({ hasSlashes: true, from: 0x80 }),
    layouts: [COMPACT, FOUR_SPACES]
  },
  {
    name: 'json_encode(JSON_UNESCAPED_UNICODE) of PHP',
    escapes: escapeWriter({ hasSlashes: true, others: SEPARATORS }),
    layouts: [COMPACT, FOUR_SPACES]
  },
  {
    name: 'json_encode(JSON_UNESCAPED_SLASHES) of PHP',
    escapes: escapeWriter({ from: 0x80 }),
    layouts: [COMPACT, FOUR_SPACES]
  },
  {
    name: 'json.Marshal() of Go',
    escapes: escapeWriter({ others: `<>&${SEPARATORS}` }),
    layouts: [COMPACT, TWO_SPACES, TABS]
  },
  { name: 'Jackson', escapes: escapeWriter({ isUpperCase: true }), layouts: [COMPACT] }
]

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
