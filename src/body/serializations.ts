// Forms and JSON as other programs write them: what an application may have made of a body that it parsed. Bodies are
// in Latin-1 here: each byte is one character. The generators yield undefined where they begin to write the whole body
// again, so that the search in change.ts can count that work.

export const fromUtf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString()
export const toUtf8 = (text: string): string => Buffer.from(text).toString('latin1')

/** A form (WHATWG URL section 5) as others serialize it: spaces as %20 or +, more or fewer characters escaped. */
export function* formVariants(body: string): Generator<string | undefined> {
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

/** A string, a bracket, a separator, or a number or word. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+/g

const isInteger = (token: string): boolean => /^-?\d+$/.test(token)

/** Adds the zeros that parsers drop, as in 1.0 and 1.50. */
export function* addZeros(json: string): Generator<string | undefined> {
  for (const write of zeroWriters(json)) {
    yield undefined
    yield* layOutAll(json.replace(TOKENS, write))
  }
}

/** All numbers get one decimal or two; then all that are the same integer get one. */
function* zeroWriters(json: string): Generator<Rewrite> {
  yield token => (isInteger(token) ? `${token}.0` : token)
  yield token => (isInteger(token) ? `${token}.00` : token.replace(/^(-?\d+\.\d)$/, '$10'))
  const integers = new Set(json.match(TOKENS)?.filter(isInteger))
  for (const integer of integers) yield token => (token === integer ? `${token}.0` : token)
}

/** Writes the escapes of other writers. */
export function* escapeAll(body: string): Generator<string | undefined> {
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
export function* layOutAll(json: string): Generator<string> {
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

/** The document in another layout, cut where it gets much longer. Throws when a string or a bracket is never closed. */
export function layOut(json: Buffer, comma: string, colon: string, indent?: string): string {
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
  const isCut = length >= text.length
  if (depth !== 0 && !isCut) throw new SyntaxError('a bracket is not closed')
  return text.toString('latin1', 0, length)
}
