import { trimWhiteSpace } from '../http/fields.ts'
import type { ReceivedRequest } from '../http/request.ts'
import { UsageError } from './usage.ts'

/** A request read from a file, and what a person should know about the reading. */
export interface Capture {
  request: ReceivedRequest
  notes: readonly string[]
}

/**
 * Reads one HTTP/1.1 request as it was captured from a connection: line ends may be CRLF or LF, the last one may be
 * missing, more may follow the body. This is no HTTP server: what a server would refuse is kept as it is, so that the
 * checks can say what is wrong with it. Over TLS: what is sniffed in clear text was behind a proxy that ended it.
 */
export function readCapture(bytes: Buffer): Capture {
  const { lines, end } = headLines(bytes.toString('latin1'))
  const { method, target, index } = requestLine(lines)
  const headers = lines.slice(index + 1).map(headerOf)
  const { body, notes } = readBody(bytes.subarray(end), headers)
  return { request: { method, target, headers, body, https: true }, notes }
}

/** Octets as characters. Empty lines before the request line do not count (RFC 9112 section 2.2). */
function headLines(text: string): { lines: string[]; end: number } {
  const lines: string[] = []
  let at = 0
  while (at < text.length) {
    const lineFeed = text.indexOf('\n', at)
    const lineEnd = lineFeed < 0 ? text.length : lineFeed
    const line = text.slice(at, lineEnd)
    at = lineEnd + 1
    if (line !== '' && line !== '\r') lines.push(line.endsWith('\r') ? line.slice(0, -1) : line)
    else if (lines.length > 0) break
  }
  return { lines, end: at }
}

/** RFC 9112 section 3; what stands between the method and the version is the target, whatever it is. */
const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) (.*) HTTP\/\d(?:\.\d)?$/s

/** `tcpdump -A` prints a line of its own, and the packet's octets up to the request. */
const IN_PACKET = /(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\S+) HTTP\/1\.[01]$/

function requestLine(lines: readonly string[]): { method: string; target: string; index: number } {
  const found = REQUEST_LINE.exec(lines[0] ?? '')
  const index = found === null ? lines.map(line => IN_PACKET.test(line)).lastIndexOf(true) : 0
  const [, method, target] = found ?? IN_PACKET.exec(lines[index] ?? '') ?? []
  if (method === undefined || target === undefined) {
    throw new UsageError(
      'neither a JSON fixture nor an HTTP request, which begins with a line like POST /hook HTTP/1.1'
    )
  }
  return { method, target, index }
}

type Header = readonly [name: string, value: string]

/** A line without a colon is all name: that is not a token, and the verdict will say so. */
function headerOf(line: string): Header {
  const colon = line.indexOf(':')
  return colon < 0 ? [line, ''] : [line.slice(0, colon), trimWhiteSpace(line.slice(colon + 1))]
}

interface Body {
  body: Buffer
  notes: string[]
}

/** RFC 9112 section 6.3, with whatever is there instead of an error. */
function readBody(rest: Buffer, headers: readonly Header[]): Body {
  const valuesOf = (name: string) =>
    headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value)
  if (/(?:^|,)[ \t]*chunked[ \t]*$/i.test(valuesOf('transfer-encoding').join(','))) return readChunks(rest)

  const [contentLength = ''] = valuesOf('content-length')
  if (!/^\d{1,15}$/.test(contentLength)) {
    const isBlank = /^[\r\n]{0,8}$/.test(rest.toString('latin1', 0, 9))
    return isBlank
      ? { body: Buffer.alloc(0), notes: [] }
      : {
          body: rest,
          notes: [`without a Content-Length, all ${rest.length} bytes after the head are the body`]
        }
  }

  const length = Number(contentLength)
  const notes: string[] = []
  if (rest.length < length)
    notes.push(`the file has ${rest.length} of the ${length} bytes that Content-Length says`)
  return { body: rest.subarray(0, length), notes }
}

/** RFC 9112 section 7.1: chunk-size, extensions that are ignored, data; trailers are ignored. */
function readChunks(rest: Buffer): Body {
  const chunks: Buffer[] = []
  const stop = (note: string): Body => ({ body: Buffer.concat(chunks), notes: [note] })
  let at = 0
  for (;;) {
    const lineFeed = rest.indexOf('\n', at)
    const line = rest.toString('latin1', at, Math.min(lineFeed < 0 ? rest.length : lineFeed, at + 1000))
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?\r?$/i.exec(line)?.[1]
    if (size === undefined) {
      if (at === 0) return { body: rest, notes: ['the body is not in chunks: taken as it is'] }
      return stop(`chunk ${chunks.length + 1} has no size: the body ends before it`)
    }

    const start = lineFeed < 0 ? rest.length : lineFeed + 1
    const length = Number.parseInt(size, 16)
    if (length === 0) return { body: Buffer.concat(chunks), notes: [] }
    chunks.push(rest.subarray(start, start + length))
    if (start + length > rest.length) return stop(`chunk ${chunks.length} is cut off`)
    at = start + length
    if (rest[at] === 0x0d) at++
    if (rest[at] !== 0x0a) return stop(`chunk ${chunks.length} does not end where its size says`)
    at++
  }
}
