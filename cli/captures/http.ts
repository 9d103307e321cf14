import { type HeaderLine, lineValues, plural, TOKEN_CHARACTERS, trimWhiteSpace } from '../../src/internal/index.ts'
import {
  assertWithin,
  type Captured,
  type Count,
  createCount,
  type Entry,
  entryOf,
  MAX_ENTRIES,
  splitPseudoHeaders
} from './capture.ts'

/** Matches a head, with the empty lines before it, which do not count (RFC 9112 section 2.2). */
const HEAD = /[\r\n]*(.*?)(?:\r?\n\r?\n|\r?\n?$)/gs

/**
 * Matches the first line of a later request in the file, which must be unambiguous; responses in between are skipped.
 */
const NEXT_REQUEST = /^(?:[A-Z]{2,20} [/*h]\S* HTTP\/1\.[01]|:(?:method|path|authority|scheme)(?::.*)?)\r?$/m

/**
 * Parses HTTP/1.1 requests as they were captured from a connection, and HTTP/2 heads with their pseudo-headers. Line
 * ends may be CRLF or LF, the last one may be missing, and other text may follow a body. This is not an HTTP server: a
 * request that a server would refuse is kept as it is, so that the checks can say what is wrong with it.
 *
 * @param lostBody the reason why the bodies may differ from those sent
 */
export function parseHttp(bytes: Buffer, lostBody?: string): Entry[] {
  const text = bytes.toString('latin1')
  const entries: Entry[] = []
  const count = createCount()
  for (let at = 0; at >= 0 && entries.length < MAX_ENTRIES; ) {
    HEAD.lastIndex = at
    const head = parseHead(HEAD.exec(text)![1]!)
    // Other text may come before the first request only.
    if (head === undefined && at > 0) break
    let from = 1
    if (head !== undefined) {
      const end = HEAD.lastIndex
      count('header lines', head.headers.length)
      const { length, ...body } = parseBody(bytes.subarray(end), head.headers, count)
      entries.push(entryOf({ ...head, ...body, lostBody }))
      from = end + length
    }
    // The next head stands right behind a body, which need not end with a line break.
    const next = NEXT_REQUEST.exec(text.slice(from))
    at = next === null ? -1 : from + next.index
  }
  return entries
}

/** Matches a request line (RFC 9112 section 3); everything between the method and the version is the target. */
const REQUEST_LINE = new RegExp(`^([${TOKEN_CHARACTERS}]+) (.*) HTTP/\\d(?:\\.\\d)?$`, 's')

/** Parses a head. Undefined for a text that begins neither with a request line nor with a pseudo-header. */
function parseHead(text: string): Captured | undefined {
  const first = text.split(/\r?\n/, 1)[0]!
  const http1 = REQUEST_LINE.exec(first)
  if (http1 === null && !first.startsWith(':')) return undefined
  assertWithin('characters before the body', text.length)
  const lines = text.split(/\r?\n/, 250_002)
  assertWithin('header lines', lines.length - 1)
  if (http1 === null) return parseHttp2Head(lines)
  return { method: http1[1]!, target: http1[2]!, headers: lines.slice(1).map(parseHeader) }
}

/** Parses one field a line or, as browsers copy them, names and values on lines of their own. */
function parseHttp2Head(lines: readonly string[]): Captured | undefined {
  const isCopied = /^:[a-z]+:?$/.test(lines[0]!)
  const fields = isCopied
    ? lines.flatMap((line, i) => (i % 2 ? [] : [[line.replace(/(.):$/, '$1'), lines[i + 1] ?? ''] as const]))
    : lines.map(parseHeader)
  const { method, target, ...head } = splitPseudoHeaders(fields)
  return method === undefined || target === undefined ? undefined : { ...head, method, target }
}

/**
 * Parses a header line. Without a colon all of it is the name, which is not a token: the verdict says so. A
 * pseudo-header begins with a colon.
 */
export function parseHeader(line: string): HeaderLine {
  const colon = line.indexOf(':', 1)
  return colon < 0 ? [line, ''] : [line.slice(0, colon), trimWhiteSpace(line.slice(colon + 1))]
}

/** Matches the text after a request without a body, or after a body: nothing, a response, or the next request. */
const END =
  /^[\r\n]{0,8}(?:$|HTTP\/\d|[A-Z]{2,20} [/*h]\S{0,2000} HTTP\/1\.[01]\r?\n|:(?:method|path|authority|scheme)\b)/

const isEnd = (rest: Buffer): boolean => END.test(rest.toString('latin1', 0, 2100))

/**
 * Parses a body by RFC 9112 section 6.3, but keeps an incomplete one as it is. `length` is how much of the file it
 * takes up.
 */
function parseBody(rest: Buffer, headers: readonly HeaderLine[], count: Count) {
  const isChunked = /(?:^|,)[ \t]*chunked$/i.test(lineValues(headers, 'transfer-encoding').join(','))
  const undone = isChunked ? parseChunks(rest, count) : undefined
  if (undone !== undefined) return undone
  const [counted] = lineValues(headers, 'content-length').map(value => /^\d{1,15}$/.exec(value)?.[0])
  const uncounted = isEnd(rest) ? 0 : rest.length
  const wanted = counted === undefined ? uncounted : Number(counted)
  const body = rest.subarray(0, wanted)
  const { length } = body
  const more = rest.length - length
  const notes: string[] = []
  if (counted === undefined && length > 0)
    notes.push(`without a Content-Length, all ${length} bytes after the head are the body`)
  if (length > 0 && length < wanted) notes.push(`the file has ${length} of the ${wanted} bytes of Content-Length`)
  if (more === 0 || isEnd(rest.subarray(length))) return { body, length, notes }
  const left =
    `${plural(more, 'byte')} ${more === 1 ? 'is' : 'are'} left over in the capture after the ` +
    `${length} that Content-Length says: all ${rest.length} are taken as the body`
  return { body, length, notes, otherBodies: [[rest, left] as const] }
}

/** Matches the size of a chunk (`^`), and the same behind the line break that ends the data of the chunk before. */
const FIRST_SIZE = /^([0-9a-f]{1,8})[ \t]*(?:;[^\n]*)?\r?(?:\n|$)/i
const NEXT_SIZE = /^\r?\n([0-9a-f]{1,8})[ \t]*(?:;[^\n]*)?\r?(?:\n|$)/i

/**
 * Parses chunks (RFC 9112 section 7.1): chunk-size, extensions that are ignored, data; trailers are ignored. Undefined
 * for a body that is not in chunks.
 */
function parseChunks(rest: Buffer, count: Count) {
  const parts: Buffer[] = []
  let [at, size] = [0, -1]
  while (size !== 0) {
    const isFirst = parts.length === 0
    const end = rest.indexOf('\n', isFirst ? at : at + 2) + 1
    const line = (isFirst ? FIRST_SIZE : NEXT_SIZE).exec(
      rest.toString('latin1', at, Math.min(end || rest.length, at + 1000))
    )
    if (line === null) break
    size = Number.parseInt(line[1]!, 16)
    const from = at + line[0].length
    at = Math.min(from + size, rest.length)
    parts.push(rest.subarray(from, at))
    count('chunks')
  }
  if (parts.length === 0) return undefined
  const notes = size === 0 ? [] : [`the chunks break off after ${plural(parts.length, 'chunk')}`]
  return { body: Buffer.concat(parts), length: at, notes }
}
