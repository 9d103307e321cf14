import { plural } from '../../explain/text.ts'
import { lineValues, trimWhiteSpace } from '../../http/fields.ts'
import type { HeaderLine } from '../../http/request.ts'
import { type Captured, type Entry, entryOf, MAX_ENTRIES, splitPseudoHeaders } from './capture.ts'

/** A head, with the empty lines before it, which do not count (RFC 9112 section 2.2). */
const HEAD = /[\r\n]*(.*?)(?:\r?\n\r?\n|\r?\n?$)/gs

/** A later request in the file must begin with an unambiguous line; responses in between are skipped. */
const NEXT_REQUEST = /^(?:[A-Z]{2,20} [/*h]\S* HTTP\/1\.[01]|:(?:method|path|authority|scheme)(?::.*)?)\r?$/m

/**
 * Parses HTTP/1.1 requests as they were captured from a connection, and HTTP/2 heads with their pseudo-headers. Line
 * ends may be CRLF or LF, the last one may be missing, and other text may follow a body. This is not an HTTP server:
 * what a server would refuse is kept as it is, so that the checks can say what is wrong with it.
 */
export function parseHttp(bytes: Buffer): Entry[] {
  const text = bytes.toString('latin1')
  const entries: Entry[] = []
  for (let at = 0; at >= 0 && entries.length < MAX_ENTRIES; ) {
    HEAD.lastIndex = at
    const lines = HEAD.exec(text)![1]!.split(/\r?\n/)
    const head = parseHttp1Head(lines) ?? parseHttp2Head(lines)
    // Something else may come before the first request only.
    if (head === undefined && at > 0) break
    let from = 1
    if (head !== undefined) {
      const end = HEAD.lastIndex
      const { body, length, ...more } = parseBody(bytes.subarray(end), head.headers)
      entries.push(entryOf({ ...head, body }, more))
      from = end + length
    }
    // Right behind a body, which need not end with a line break.
    const next = NEXT_REQUEST.exec(text.slice(from))
    at = next === null ? -1 : from + next.index
  }
  return entries
}

/** RFC 9112 section 3; everything between the method and the version is the target. */
const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) (.*) HTTP\/\d(?:\.\d)?$/s

export function parseHttp1Head([first = '', ...lines]: readonly string[]): Captured | undefined {
  const [, method, target] = REQUEST_LINE.exec(first) ?? []
  if (method === undefined || target === undefined) return undefined
  return { method, target, headers: lines.map(parseHeader) }
}

/** One field a line or, as browsers copy them, names and values on lines of their own. */
function parseHttp2Head(lines: readonly string[]): Captured | undefined {
  const isCopied = /^:[a-z]+:?$/.test(lines[0] ?? '')
  const fields = isCopied
    ? lines.flatMap((line, i) => (i % 2 ? [] : [[line.replace(/(.):$/, '$1'), lines[i + 1] ?? ''] as const]))
    : lines.map(parseHeader)
  const { pseudo, headers } = splitPseudoHeaders(fields)
  const [method, target] = [pseudo.get(':method'), pseudo.get(':path')]
  if (method === undefined || target === undefined) return undefined
  const https = pseudo.get(':scheme') !== 'http'
  return { method, target, https, authority: pseudo.get(':authority'), headers }
}

/** A line without a colon is all name: that is not a token, and the verdict says so. A pseudo-header begins with one. */
export function parseHeader(line: string): HeaderLine {
  const colon = line.indexOf(':', 1)
  return colon < 0 ? [line, ''] : [line.slice(0, colon), trimWhiteSpace(line.slice(colon + 1))]
}

/** What follows a request without a body, or a body: nothing, a response, or the next request. */
const END =
  /^[\r\n]{0,8}(?:$|HTTP\/\d|[A-Z]{2,20} [/*h]\S{0,2000} HTTP\/1\.[01]\r?\n|:(?:method|path|authority|scheme)\b)/

const isEnd = (rest: Buffer): boolean => END.test(rest.toString('latin1', 0, 2100))

/**
 * RFC 9112 section 6.3, but a body that is not complete is kept as it is. `length` is how much of the file it takes up.
 */
function parseBody(rest: Buffer, headers: readonly HeaderLine[]) {
  if (/(?:^|,)[ \t]*chunked[ \t]*$/i.test(lineValues(headers, 'transfer-encoding').join(',')))
    return parseChunks(rest)
  const [contentLength = ''] = lineValues(headers, 'content-length')
  const isCounted = /^\d{1,15}$/.test(contentLength)
  const length = isCounted ? Number(contentLength) : isEnd(rest) ? 0 : rest.length
  const body = rest.subarray(0, length)
  const more = rest.length - length
  const isOpen = !isCounted && length > 0
  const isCut = more < 0 && rest.length > 0
  const open = `without a Content-Length, all ${length} bytes after the head are the body`
  const cut = `the file has ${rest.length} of the ${length} bytes that Content-Length says`
  const left = `${plural(more, 'byte')} ${more === 1 ? 'is' : 'are'} left over in the capture after the ${length} that Content-Length says: all ${rest.length} are taken as the body`
  return {
    body,
    length: body.length,
    notes: [...(isOpen ? [open] : []), ...(isCut ? [cut] : [])],
    otherBodies: more > 0 && !isEnd(rest.subarray(length)) ? [[rest, left] as const] : []
  }
}

const SIZE = /^(\r?\n)?([0-9a-f]{1,8})[ \t]*(?:;[^\n]*)?\r?(?:\n|$)/i

/** RFC 9112 section 7.1: chunk-size, extensions that are ignored, data; trailers are ignored. */
function parseChunks(rest: Buffer) {
  const chunks: Buffer[] = []
  let at = 0
  const stop = (...notes: string[]) => ({ body: Buffer.concat(chunks), length: at, notes })
  for (;;) {
    const [start = '', lineEnd, hex = ''] = SIZE.exec(rest.toString('latin1', at, at + 1000)) ?? []
    // The line end of the data comes before each size but the first.
    const isSize = start !== '' && (lineEnd === undefined) === (at === 0)
    if (!isSize && at === 0)
      return { body: rest, length: rest.length, notes: ['the body is not in chunks: taken as it is'] }
    if (!isSize) return stop(`after chunk ${chunks.length} there is no size: the body ends there`)
    const from = at + start.length
    const end = from + Number.parseInt(hex, 16)
    at = Math.min(end, rest.length)
    if (end === from) return stop()
    chunks.push(rest.subarray(from, end))
    if (end > rest.length) return stop(`chunk ${chunks.length} is cut off`)
  }
}
