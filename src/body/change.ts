import type { Fields } from '../http/fields.ts'
import type { Reencoding } from '../result/evidence.ts'

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

const fromUtf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString()
const toUtf8 = (text: string): string => Buffer.from(text).toString('latin1')

type Rewrite = (json: string) => string

/** Escapes as JavaScript writes them: only what must be escaped. */
const plain: Rewrite = json =>
  json.replace(/(?:\\u[\da-f]{4})+|\\[^u]/gi, found => {
    if (found === '\\/') return '/'
    return /^\\u/i.test(found) ? JSON.stringify(JSON.parse(`"${found}"`)).slice(1, -1) : found
  })
const escaped = (json: string, units: RegExp): string =>
  json.replace(units, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const ascii: Rewrite = json => escaped(json, /[^\0-~]/g)
const slashes: Rewrite = json => plain(json).replaceAll('/', '\\/')

/** How writers escape strings. In JSON, what they differ in is in strings only. */
const ESCAPES: readonly Rewrite[] = [
  plain,
  slashes,
  json => ascii(plain(json)),
  json => ascii(slashes(json)),
  json => escaped(plain(json), /[<>&\u2028\u2029]/g)
]

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

/** Does the body end as it begins? Of a kind that has no end of its own, none is whole that is too short. */
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

/** A form (WHATWG URL section 5) as others serialize it: spaces as %20 or +, more or fewer characters escaped. */
function* formVariants(body: string): Generator<string | undefined> {
  const percentEncoded = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`
  for (const also of [/$^/g, /[!'()*]/g, /[!'()~]/g]) {
    const form = body.replace(/[^&=]+/g, part =>
      encodeURIComponent(decodeURIComponent(part.replace(/\+/g, ' '))).replace(also, percentEncoded)
    )
    yield undefined
    for (const variant of [form, form.replace(/%20/g, '+'), form.replace(/%5[BD]/g, decodeURIComponent)]) {
      yield variant
      yield variant.replace(/%../g, found => found.toLowerCase())
    }
  }
}

/** A string, a bracket, a separator, or a number or word. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+/g

const isInteger = (token: string): boolean => /^-?\d+$/.test(token)

/** Adds the zeros that parsers drop, as in 1.0 and 1.50: to all numbers, or to all that are the same. */
function* addZeros(json: string): Generator<string | undefined> {
  const integers = new Set(json.match(TOKENS)?.filter(isInteger))
  const zeros: Rewrite[] = [
    token => (isInteger(token) ? `${token}.0` : token),
    token => (isInteger(token) ? `${token}.00` : token.replace(/^(-?\d+\.\d)$/, '$10'))
  ]
  for (const chosen of [...integers].slice(0, 8)) zeros.push(token => (token === chosen ? `${token}.0` : token))
  for (const write of zeros) {
    yield undefined
    yield* layOutAll(json.replace(TOKENS, write))
  }
}

/** Writes the escapes of other writers. */
function* escapeAll(body: string): Generator<string | undefined> {
  const json = fromUtf8(body)
  const texts = new Set([json])
  for (const rewrite of ESCAPES) {
    const text = rewrite(json)
    yield undefined
    if (!texts.has(text)) yield* layOutAll(toUtf8(text))
    texts.add(text)
  }
}

/** What stands after a comma, after a colon, and for each level of indentation; undefined keeps the white space. */
type Layout = readonly [comma: string, colon: string, indent?: string] | undefined

/** The most common ones first. */
const LAYOUTS: readonly Layout[] = [
  [',', ':'],
  [', ', ': '],
  undefined,
  [',', ': ', '  '],
  [',', ': ', '    '],
  [',', ': ', '\t']
]

/** Writes the document in other layouts, and then each with a newline at the end. */
function* layOutAll(json: string): Generator<string> {
  const bytes = Buffer.from(json, 'latin1')
  const texts: string[] = []
  for (const layout of LAYOUTS) {
    const text = layout === undefined ? json : layOut(bytes, ...layout)
    texts.push(text)
    yield text
  }
  for (const text of texts) yield `${text}\n`
}

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Indentation multiplies the size of a text by its depth. */
const MAX_DEPTH = 16

/** The document in another layout, cut when it gets much longer. Throws when a string or a bracket is never closed. */
function layOut(json: Buffer, comma: string, colon: string, indent?: string): string {
  const text = Buffer.allocUnsafe(4 * json.length + 64)
  let [length, depth, isAfterOpen] = [0, 0, false]
  const put = (added: string) => {
    for (let i = 0; i < added.length; i++) text[length++] = added.charCodeAt(i)
  }
  const newLine = () => {
    if (indent === undefined) return
    put('\n')
    for (let level = 0; level < depth && level < MAX_DEPTH; level++) put(indent)
  }

  for (let i = 0; i < json.length && length < text.length; i++) {
    const byte = json[i]!
    if (byte <= SPACE) continue
    const isClose = byte === CLOSE_ARRAY || byte === CLOSE_OBJECT
    if (isClose) depth--
    // Nothing stands between the brackets of an empty array or object.
    if (isAfterOpen !== isClose) newLine()
    isAfterOpen = byte === OPEN_ARRAY || byte === OPEN_OBJECT
    if (isAfterOpen) depth++
    if (byte === COMMA) {
      put(comma)
      newLine()
    } else if (byte === COLON) put(colon)
    else text[length++] = byte

    let isInString = byte === QUOTE
    while (isInString) {
      i++
      if (i >= json.length) throw new SyntaxError('a string is not closed')
      text[length++] = json[i]!
      if (json[i] === BACKSLASH) text[length++] = json[++i]!
      else isInString = json[i] !== QUOTE
    }
  }
  if (depth !== 0) throw new SyntaxError('a bracket is not closed')
  return text.toString('latin1', 0, length)
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
