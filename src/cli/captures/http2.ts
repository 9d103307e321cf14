import { trimWhiteSpace } from '../../http/fields.ts'
import type { HeaderLine } from '../../http/request.ts'
import { type Entry, entryOf, MAX_ENTRIES } from './capture.ts'

/** nghttp prints `[  0.005] recv (stream_id=13) ` before each field. */
const PREFIX = /^(?:\[ {0,8}\d{1,9}\.\d{1,9}\] )?(?:recv|send) \(stream_id=\d{1,10}\) /

/** RFC 9113 section 8.3.1 */
const PSEUDO = /^:(method|path|authority|scheme)(?::[ \t]*(.*))?$/s

/**
 * Parses the heads of HTTP/2 or HTTP/3 requests with their pseudo-headers, one field a line (`:method: POST`) or, as
 * browsers copy them, names and values on lines of their own. An empty line ends a head; what follows it up to the next
 * one is the body. Undefined when there is no such head.
 */
export function parseHttp2(bytes: Buffer): Entry[] | undefined {
  const text = bytes.toString('latin1')
  const entries: Entry[] = []
  for (let at = nextHead(text, 0); at >= 0 && entries.length < MAX_ENTRIES; ) {
    const { fields, end } = headFields(text, at)
    const next = nextHead(text, end)
    const rest = bytes.subarray(end, next < 0 ? bytes.length : next)
    const entry = toEntry(fields, rest)
    if (entry === undefined) return undefined
    entries.push(entry)
    at = next
  }
  return entries.length === 0 ? undefined : entries
}

const HEAD_START = /^(?:[^\n]{0,60}\) )?:(?:method|path|authority|scheme)(?::|\r?$)/gm

function nextHead(text: string, from: number): number {
  HEAD_START.lastIndex = from
  return HEAD_START.exec(text)?.index ?? -1
}

function headFields(text: string, start: number): { fields: HeaderLine[]; end: number } {
  const lines: string[] = []
  let at = start
  while (at < text.length) {
    const lineFeed = text.indexOf('\n', at)
    const lineEnd = lineFeed < 0 ? text.length : lineFeed
    const line = text.slice(at, lineEnd).replace(/\r$/, '').replace(PREFIX, '')
    at = Math.min(lineEnd + 1, text.length)
    if (line === '') break
    lines.push(line)
  }
  const isCopied = /^:[a-z]+:?$/.test(lines[0] ?? '')
  return { fields: isCopied ? inTurns(lines) : lines.map(fieldOf), end: at }
}

/** Name, value, name, value. */
const inTurns = (lines: readonly string[]): HeaderLine[] =>
  Array.from({ length: Math.ceil(lines.length / 2) }, (_, i) => [
    lines[2 * i]!.replace(/(.):$/, '$1'),
    trimWhiteSpace(lines[2 * i + 1] ?? '')
  ])

/** The colon that a pseudo-header's name begins with is part of it. */
function fieldOf(line: string): HeaderLine {
  const colon = line.indexOf(':', 1)
  return colon < 0 ? [line, ''] : [line.slice(0, colon), trimWhiteSpace(line.slice(colon + 1))]
}

function toEntry(fields: readonly HeaderLine[], rest: Buffer): Entry | undefined {
  const pseudo = new Map<string, string>()
  const headers: HeaderLine[] = []
  for (const [name, value] of fields) {
    const [, known] = PSEUDO.exec(name) ?? []
    if (known === undefined) headers.push([name, value])
    else pseudo.set(known, value)
  }
  const method = pseudo.get('method')
  const target = pseudo.get('path')
  const authority = pseudo.get('authority')
  if (method === undefined || target === undefined) return undefined
  const hasHost = headers.some(([name]) => name.toLowerCase() === 'host')
  return entryOf({
    method,
    target,
    // RFC 9113 section 8.3.1: it replaces Host.
    headers: authority === undefined || hasHost ? headers : [['host', authority], ...headers],
    body: bodyAfterHead(rest, headers),
    https: pseudo.get('scheme') !== 'http'
  })
}

/** Without a Content-Length, a line end at the end belongs to the file. */
function bodyAfterHead(rest: Buffer, headers: readonly HeaderLine[]): Buffer | undefined {
  const [, length] = headers.find(([name]) => name.toLowerCase() === 'content-length') ?? []
  if (length !== undefined && /^\d{1,15}$/.test(length)) return rest.subarray(0, Number(length))
  return /^[\r\n]*$/.test(rest.toString('latin1', 0, 1000)) ? undefined : rest
}
