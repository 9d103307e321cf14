import { lineValues, trimWhiteSpace } from '../../http/fields.ts'
import type { HeaderLine } from '../../http/request.ts'
import { type Entry, entryOf, MAX_ENTRIES, withHost } from './capture.ts'

/**
 * Parses HTTP/1.1 requests as they were captured from a connection, and HTTP/2 heads with their pseudo-headers. Line
 * ends may be CRLF or LF, the last one may be missing, and other text may follow a body. This is not an HTTP server:
 * what a server would refuse is kept as it is, so that the checks can say what is wrong with it.
 */
export function parseHttp(bytes: Buffer): Entry[] {
  const text = bytes.toString('latin1')
  const entries: Entry[] = []
  for (let at = 0; at >= 0 && entries.length < MAX_ENTRIES; ) {
    const { lines, end } = headLines(text, at)
    const head = http1Head(lines) ?? http2Head(lines)
    if (head === undefined) {
      if (entries.length > 0 || at > 0) break
      at = nextRequest(text, 0)
      if (at === 0) break
      continue
    }
    const rest = bytes.subarray(end)
    const { body, length, ...notes } = parseBody(rest, head.headers)
    entries.push(entryOf({ ...head, body, ...notes }))
    at = nextRequest(text, end + length)
  }
  return entries
}

const HEAD_START = /[^\r\n]|$/g
const HEAD_END = /\r?\n\r?\n|\r?\n?$/g

/** Octets as characters. Empty lines before the request line do not count (RFC 9112 section 2.2). */
function headLines(text: string, start: number): { lines: string[]; end: number } {
  HEAD_START.lastIndex = start
  const from = HEAD_START.exec(text)!.index
  HEAD_END.lastIndex = from
  const { 0: ending, index } = HEAD_END.exec(text)!
  return { lines: text.slice(from, index).split(/\r?\n/), end: index + ending.length }
}

/** RFC 9112 section 3; everything between the method and the version is the target. */
const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) (.*) HTTP\/\d(?:\.\d)?$/s

type Head = Pick<Entry['request'], 'method' | 'target' | 'headers' | 'https'>

function http1Head(lines: readonly string[]): Head | undefined {
  const [, method, target] = REQUEST_LINE.exec(lines[0] ?? '') ?? []
  if (method === undefined || target === undefined) return undefined
  return { method, target, headers: lines.slice(1).map(headerOf), https: true }
}

/** RFC 9113 section 8.3.1: one field a line or, as browsers copy them, names and values on lines of their own. */
function http2Head(lines: readonly string[]): Head | undefined {
  const isCopied = /^:[a-z]+:?$/.test(lines[0] ?? '')
  const fields = isCopied
    ? lines.flatMap((line, i) => (i % 2 ? [] : [[line.replace(/(.):$/, '$1'), lines[i + 1] ?? ''] as const]))
    : lines.map(headerOf)
  const pseudo = new Map<string, string>()
  const headers: HeaderLine[] = []
  for (const [name, value] of fields) {
    // Twice is malformed (RFC 9113 section 8.3): as a header it is, too.
    if (!/^:(?:method|path|authority|scheme)$/.test(name) || pseudo.has(name)) headers.push([name, value])
    else pseudo.set(name, value)
  }
  const method = pseudo.get(':method')
  const target = pseudo.get(':path')
  if (method === undefined || target === undefined) return undefined
  const https = pseudo.get(':scheme') !== 'http'
  return { method, target, headers: withHost(pseudo.get(':authority'), headers), https }
}

/** A later request in the file must begin with an unambiguous line; responses in between are skipped. */
const NEXT_REQUEST = /^(?:[A-Z]{2,20} [/*h]\S* HTTP\/1\.[01]|:(?:method|path|authority|scheme)(?::.*)?)\r?$/gm

function nextRequest(text: string, from: number): number {
  NEXT_REQUEST.lastIndex = from
  return NEXT_REQUEST.exec(text)?.index ?? -1
}

/** A line without a colon is all name: that is not a token, and the verdict says so. A pseudo-header begins with one. */
export function headerOf(line: string): HeaderLine {
  const colon = line.indexOf(':', 1)
  return colon < 0 ? [line, ''] : [line.slice(0, colon), trimWhiteSpace(line.slice(colon + 1))]
}

interface Body extends Partial<Pick<Entry, 'notes' | 'otherBodies'>> {
  body: Buffer
  /** how much of the file it takes up */
  length: number
}

/** What follows a request without a body, or a body: nothing, a response, or the next request. */
const END =
  /^[\r\n]{0,8}(?:$|HTTP\/\d|[A-Z]{2,20} [/*h]\S{0,2000} HTTP\/1\.[01]\r?\n|:(?:method|path|authority|scheme)\b)/

const isEnd = (rest: Buffer): boolean => END.test(rest.toString('latin1', 0, 2100))

/** RFC 9112 section 6.3, but a body that is not complete is kept as it is. */
function parseBody(rest: Buffer, headers: readonly HeaderLine[]): Body {
  if (/(?:^|,)[ \t]*chunked[ \t]*$/i.test(lineValues(headers, 'transfer-encoding').join(','))) {
    return parseChunks(rest)
  }
  const [contentLength = ''] = lineValues(headers, 'content-length')
  if (!/^\d{1,15}$/.test(contentLength)) {
    if (isEnd(rest)) return { body: Buffer.alloc(0), length: 0 }
    const note = `without a Content-Length, all ${rest.length} bytes after the head are the body`
    return { body: rest, length: rest.length, notes: [note] }
  }

  const length = Number(contentLength)
  const body = rest.subarray(0, length)
  const more = rest.length - length
  if (more < 0 && rest.length > 0) {
    const note = `the file has ${rest.length} of the ${length} bytes that Content-Length says`
    return { body, length: rest.length, notes: [note] }
  }
  const note = `${more} bytes are left over in the capture after the ${length} that Content-Length says: all ${rest.length} are taken as the body`
  const isWhole = more <= 0 || isEnd(rest.subarray(length))
  return { body, length: body.length, otherBodies: isWhole ? [] : [[rest, note]] }
}

const FIRST_SIZE = /^([0-9a-f]{1,8})[ \t]*(?:;[^\n]*)?\r?(?:\n|$)/i
const NEXT_SIZE = /^\r?\n([0-9a-f]{1,8})[ \t]*(?:;[^\n]*)?\r?(?:\n|$)/i

/** RFC 9112 section 7.1: chunk-size, extensions that are ignored, data; trailers are ignored. */
function parseChunks(rest: Buffer): Body {
  const chunks: Buffer[] = []
  let at = 0
  const stop = (...notes: string[]): Body => ({ body: Buffer.concat(chunks), length: at, notes })
  for (;;) {
    const line = rest.toString('latin1', at, at + 1000)
    const size = at === 0 ? FIRST_SIZE : NEXT_SIZE
    const [start, hex = ''] = size.exec(line) ?? ['']
    if (start === '' && at === 0)
      return { body: rest, length: rest.length, notes: ['the body is not in chunks: taken as it is'] }
    if (start === '') return stop(`after chunk ${chunks.length} there is no size: the body ends there`)
    const from = at + start.length
    const end = from + Number.parseInt(hex, 16)
    at = Math.min(end, rest.length)
    if (end === from) return stop()
    chunks.push(rest.subarray(from, end))
    if (end > rest.length) return stop(`chunk ${chunks.length} is cut off`)
  }
}

/** What curl sent, as `curl -v` marks it; `--trace-time` puts a time before it. */
const SENT = /^(?:\d\d:\d\d:\d\d\.\d{1,9} )?>(?: (.*))?$/s

/** Parses the heads that `curl -v` prints with `> ` before each line. It does not print the body. */
export function parseCurl(text: string): Entry[] {
  const heads: string[][] = []
  for (const line of text.split('\n')) {
    const sent = SENT.exec(line.endsWith('\r') ? line.slice(0, -1) : line)?.[1] ?? ''
    if (REQUEST_LINE.test(sent)) heads.push([])
    if (sent !== '') heads.at(-1)?.push(sent)
    if (heads.length > MAX_ENTRIES) break
  }
  return heads.map(lines => entryOf({ ...http1Head(lines)!, body: undefined }))
}
