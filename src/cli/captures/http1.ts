import { lineValues, trimWhiteSpace } from '../../http/fields.ts'
import type { HeaderLine } from '../../http/request.ts'
import { type Entry, entryOf, MAX_ENTRIES } from './capture.ts'

/**
 * Parses HTTP/1.1 requests as they were captured from a connection: line ends may be CRLF or LF, the last one may be
 * missing, and other text may follow a body. This is not an HTTP server: what a server would refuse is kept as it is,
 * so that the checks can say what is wrong with it. Undefined when the file does not begin with a request.
 */
export function parseHttp1(bytes: Buffer): Entry[] | undefined {
  const text = bytes.toString('latin1')
  const entries: Entry[] = []
  for (let at = 0; at >= 0 && entries.length < MAX_ENTRIES; ) {
    const found = parseRequest(bytes, text, at)
    if (found === undefined) break
    entries.push(found.entry)
    at = nextRequest(text, found.end)
  }
  return entries.length === 0 ? undefined : entries
}

function parseRequest(bytes: Buffer, text: string, start: number): { entry: Entry; end: number } | undefined {
  const { lines, end } = headLines(text, start)
  const line = requestLine(lines)
  if (line === undefined) return undefined
  const headers = lines.slice(line.index + 1).map(headerOf)
  const { body, notes, length } = parseBody(bytes.subarray(end), headers)
  return {
    entry: entryOf({ method: line.method, target: line.target, headers, body, notes }),
    end: end + length
  }
}

/** Octets as characters. Empty lines before the request line do not count (RFC 9112 section 2.2). */
function headLines(text: string, start: number): { lines: string[]; end: number } {
  const lines: string[] = []
  let at = start
  while (at < text.length) {
    const lineFeed = text.indexOf('\n', at)
    const lineEnd = lineFeed < 0 ? text.length : lineFeed
    const line = text.slice(at, lineEnd)
    at = lineEnd + 1
    if (line !== '' && line !== '\r') lines.push(line.endsWith('\r') ? line.slice(0, -1) : line)
    else if (lines.length > 0) break
  }
  return { lines, end: Math.min(at, text.length) }
}

/** RFC 9112 section 3; everything between the method and the version is the target. */
export const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) (.*) HTTP\/\d(?:\.\d)?$/s

/** `tcpdump -A` prints a line of its own, and the packet's octets up to the request. */
const IN_PACKET = /(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\S+) HTTP\/1\.[01]$/

function requestLine(
  lines: readonly string[]
): { method: string; target: string; index: number } | undefined {
  const found = REQUEST_LINE.exec(lines[0] ?? '')
  const index = found === null ? lines.map(line => IN_PACKET.test(line)).lastIndexOf(true) : 0
  const [, method, target] = found ?? IN_PACKET.exec(lines[index] ?? '') ?? []
  return method === undefined || target === undefined ? undefined : { method, target, index }
}

/** A later request in the file must begin with an unambiguous line; answers in between are skipped. */
const NEXT_REQUEST = /^[A-Z]{2,20} [/*h]\S* HTTP\/1\.[01]\r?$/gm

function nextRequest(text: string, from: number): number {
  NEXT_REQUEST.lastIndex = from
  return NEXT_REQUEST.exec(text)?.index ?? -1
}

/** A line without a colon is all name: that is not a token, and the verdict says so. */
export function headerOf(line: string): HeaderLine {
  const colon = line.indexOf(':')
  return colon < 0 ? [line, ''] : [line.slice(0, colon), trimWhiteSpace(line.slice(colon + 1))]
}

interface Body {
  body: Buffer
  /** how much of the file it takes up */
  length: number
  notes: string[]
}

/** What follows a request without a body: nothing, an answer, or the next request. */
const NO_BODY = /^[\r\n]{0,8}(?:$|HTTP\/\d|[A-Z]{2,20} [/*h]\S{0,2000} HTTP\/1\.[01]\r?\n)/

/** RFC 9112 section 6.3, but a body that is not complete is kept as it is. */
function parseBody(rest: Buffer, headers: readonly HeaderLine[]): Body {
  if (/(?:^|,)[ \t]*chunked[ \t]*$/i.test(lineValues(headers, 'transfer-encoding').join(','))) {
    return parseChunks(rest)
  }
  const [contentLength = ''] = lineValues(headers, 'content-length')
  if (!/^\d{1,15}$/.test(contentLength)) {
    if (NO_BODY.test(rest.toString('latin1', 0, 2100))) return { body: Buffer.alloc(0), length: 0, notes: [] }
    const note = `without a Content-Length, all ${rest.length} bytes after the head are the body`
    return { body: rest, length: rest.length, notes: [note] }
  }

  const length = Number(contentLength)
  const notes: string[] = []
  if (rest.length < length && rest.length > 0)
    notes.push(`the file has ${rest.length} of the ${length} bytes that Content-Length says`)
  return { body: rest.subarray(0, length), length: Math.min(length, rest.length), notes }
}

/** RFC 9112 section 7.1: chunk-size, extensions that are ignored, data; trailers are ignored. */
function parseChunks(rest: Buffer): Body {
  const chunks: Buffer[] = []
  let at = 0
  const stop = (...notes: string[]): Body => ({ body: Buffer.concat(chunks), length: at, notes })
  for (;;) {
    const lineFeed = rest.indexOf('\n', at)
    const line = rest.toString('latin1', at, Math.min(lineFeed < 0 ? rest.length : lineFeed, at + 1000))
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?\r?$/i.exec(line)?.[1]
    if (size === undefined) {
      if (at === 0)
        return { body: rest, length: rest.length, notes: ['the body is not in chunks: taken as it is'] }
      return stop(`chunk ${chunks.length + 1} has no size: the body ends before it`)
    }

    const start = lineFeed < 0 ? rest.length : lineFeed + 1
    const length = Number.parseInt(size, 16)
    if (length === 0) {
      at = start
      return stop()
    }
    chunks.push(rest.subarray(start, start + length))
    at = Math.min(start + length, rest.length)
    if (start + length > rest.length) return stop(`chunk ${chunks.length} is cut off`)
    if (rest[at] === 0x0d) at++
    if (rest[at] !== 0x0a) return stop(`chunk ${chunks.length} does not end where its size says`)
    at++
  }
}
