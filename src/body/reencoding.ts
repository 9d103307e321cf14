import type { BodyChange, Reencoding } from '../verdict/evidence.ts'

/** An attacker who captured a signed head can trigger this search with any body: only small ones are tried. */
const MAX_BODY_BYTES = 16_384

/** Of all texts that are tried, in bytes: two milliseconds. */
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
  let left = body.length > MAX_BODY_BYTES ? 0 : MAX_TRIED
  for (const [found, undo] of UNDO) {
    try {
      for (const original of undo(bytes)) {
        left -= original.length
        if (left < 0) return findTrace(bytes, contentLength)
        if ((contentLength ?? original.length) === original.length && matches(original)) return found
      }
    } catch {
      // It is not JSON, or not a form.
    }
  }
  return findTrace(bytes, contentLength)
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
  [
    { change: 'json-string' },
    body => (body[0] === 0x22 ? [Buffer.from(String(JSON.parse(body.toString())))] : [])
  ],
  [{ change: 'form-reserialized' }, formVariants],
  [{ reencoding: 'json-reserialized' }, jsonVariants],
  // PHP makes an array of an empty object.
  [
    { reencoding: 'json-reserialized' },
    body => (body.includes('[]') ? jsonVariants(replaced(body, /\[\]/g, '{}')) : [])
  ]
]

/** Latin-1 keeps every byte as it is. */
const replaced = (body: Buffer, pattern: RegExp, replacement: string): Buffer =>
  Buffer.from(body.toString('latin1').replace(pattern, replacement), 'latin1')

/** How documents end, by how they begin. */
const ENDS: Readonly<Record<string, string>> = { '{': '}', '[': ']', '<': '>' }

function findTrace(body: Buffer, contentLength = 0): FoundChange {
  if (/^\[object \w+\]$/.test(body.toString('latin1', 0, 40))) return { change: 'object-to-string' }
  const end = ENDS[body.toString('latin1', 0, 1)]
  const isWhole =
    end === undefined ||
    body
      .toString('latin1', body.length - 10)
      .trimEnd()
      .endsWith(end)
  if (contentLength > body.length && !isWhole) return { change: 'cut-short' }
  // A decoder of UTF-8 writes U+FFFD for bytes that are not UTF-8.
  return body.subarray(0, 65_536).includes('\ufffd') ? { change: 'read-as-text' } : {}
}

type WriteToken = (token: string) => string

const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+/g

/**
 * JSON as other writers serialize it: compact (JavaScript, Ruby, Go), with spaces (Python), indented; with slashes
 * escaped (PHP), with <, > and & escaped (Go, Rails), or with non-ASCII escaped (Python, PHP); with a newline at the
 * end; and with the zeros that parsers drop, 1.0 and 1.50. The order of the members stays.
 */
function* jsonVariants(body: Buffer): Generator<Buffer> {
  const text = body.toString('utf8')
  JSON.parse(text)
  const tokens = text.match(TOKENS) ?? []
  const integers = [...new Set(tokens.filter(isInteger))].slice(0, 8)
  const writers: WriteToken[] = [
    ...STRINGS.map(write => (token: string) => (token.startsWith('"') ? write(token) : token)),
    token => (isInteger(token) ? `${token}.0` : token),
    token => (isInteger(token) ? `${token}.00` : token.replace(/^(-?\d+\.\d)$/, '$10')),
    ...integers.map(chosen => (token: string) => (token === chosen ? `${token}.0` : token))
  ]
  for (const write of writers) {
    const written = tokens.map(write)
    for (const layout of LAYOUTS) {
      const json = layout === undefined ? text.replace(TOKENS, write) : layOut(written, ...layout)
      yield Buffer.from(json)
      yield Buffer.from(`${json}\n`)
    }
  }
}

const isInteger = (token: string): boolean => /^-?\d+$/.test(token)

const plain: WriteToken = token => JSON.stringify(JSON.parse(token))
const ascii: WriteToken = json => escaped(json, /[^\0-~]/g)
const slashes: WriteToken = token => plain(token).replaceAll('/', '\\/')

const STRINGS: readonly WriteToken[] = [
  token => token,
  plain,
  token => ascii(plain(token)),
  slashes,
  token => ascii(slashes(token)),
  token => escaped(plain(token), /[<>&\u2028\u2029]/g)
]

const escaped = (json: string, units: RegExp): string =>
  json.replace(units, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What stands after a comma, after a colon, and for each level of indentation; undefined keeps the white space. */
const LAYOUTS: readonly (readonly [comma: string, colon: string, indent?: string] | undefined)[] = [
  [',', ':'],
  [', ', ': '],
  undefined,
  [',', ': ', '  '],
  [',', ': ', '    '],
  [',', ': ', '\t']
]

/** Indentation multiplies the size of a text by its depth. */
const MAX_DEPTH = 16

function layOut(tokens: readonly string[], comma: string, colon: string, indent?: string): string {
  let text = ''
  let depth = 0
  const newLine = () => (indent === undefined ? '' : `\n${indent.repeat(Math.min(depth, MAX_DEPTH))}`)
  for (const [i, token] of tokens.entries()) {
    if (token === '{' || token === '[') {
      depth++
      text += token + (/^[\]}]/.test(tokens[i + 1] ?? '') ? '' : newLine())
    } else if (token === '}' || token === ']') {
      depth--
      text += (/^[[{]/.test(tokens[i - 1] ?? '') ? '' : newLine()) + token
    } else text += token === ',' ? comma + newLine() : token === ':' ? colon : token
  }
  return text
}

/** A form (WHATWG URL section 5) as others serialize it: spaces as %20 or +, more or fewer characters escaped. */
function* formVariants(body: Buffer): Generator<Buffer> {
  const text = body.toString('latin1')
  if (!/^[\x21-\x7e]*=[\x21-\x7e]*$/.test(text)) return
  for (const also of [/$^/g, /[!'()*]/g, /[!'()~]/g]) {
    const form = text.replace(/[^&=]+/g, part =>
      encodeURIComponent(decodeURIComponent(part.replace(/\+/g, ' '))).replace(
        also,
        char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`
      )
    )
    for (const one of [form, form.replace(/%20/g, '+'), form.replace(/%5[BD]/g, decodeURIComponent)]) {
      yield Buffer.from(one)
      yield Buffer.from(one.replace(/%../g, found => found.toLowerCase()))
    }
  }
}
