import { UsageError } from '../usage.ts'
import type { Capture, Entry } from './capture.ts'
import { parseCurl } from './curl.ts'
import { decodeFile } from './decode.ts'
import { parseHttp1 } from './http1.ts'
import { parseHttp2 } from './http2.ts'
import { parseJsonCapture } from './json.ts'

const FORMATS =
  'this is not a request in a format that explain reads: raw HTTP/1.1 (its first line is like POST /hook HTTP/1.1), ' +
  'a curl -v dump, an HTTP/2 head with :method and :path, a HAR, an AWS Lambda event, JSON of { method, url, headers, ' +
  'body }, or a fixture'

/**
 * Finds the requests in a file of any supported format.
 *
 * @throws UsageError that lists the formats, for anything else
 */
export function readCapture(file: Buffer): Capture {
  const { bytes, notes } = decodeFile(file)
  const capture = isJson(bytes) ? parseJsonCapture(bytes.toString('utf8')) : parseText(bytes)
  if (capture === undefined || capture.entries.length === 0) throw new UsageError(FORMATS)
  return { ...capture, notes: [...notes, ...capture.notes] }
}

const isJson = (bytes: Buffer): boolean => /^\s*[{[]/.test(bytes.toString('latin1', 0, 1000))

function parseText(bytes: Buffer): Capture | undefined {
  const text = bytes.toString('latin1')
  const parsers: readonly (readonly [format: string, parse: () => Entry[] | undefined])[] = [
    // A curl dump of HTTP/2 shows pseudo-headers too, and a body may hold any of the others.
    [
      'an HTTP/1.1 request',
      () => (BEGINS_AS_HTTP1.test(text.slice(0, 10_000)) ? parseHttp1(bytes) : undefined)
    ],
    ['a curl -v dump', () => parseCurl(text)],
    ['an HTTP/2 head', () => parseHttp2(bytes)],
    ['an HTTP/1.1 request', () => parseHttp1(bytes)]
  ]
  for (const [format, parse] of parsers) {
    const entries = parse()
    if (entries !== undefined) return { format, entries, notes: [] }
  }
  return undefined
}

/** `*` and `>` begin the lines of a curl dump. */
const BEGINS_AS_HTTP1 = /^[\r\n]*(?!\*)[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [^\n]* HTTP\/\d(?:\.\d)?\r?(?:\n|$)/
