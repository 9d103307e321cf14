import { UsageError } from '../command.ts'
import { type Entry, isSigned } from './capture.ts'
import { parseHttp } from './http.ts'
import { parseJson } from './json.ts'
import { PACKET, parseCurl, parseCurlCommand, parseTcpdump } from './programs.ts'

export const FORMATS =
  'raw HTTP/1.1 (its first line is like POST /hook HTTP/1.1), the output of tcpdump -A, a curl -v dump, a curl command, an ' +
  'HTTP/2 head with :method and :path, a HAR, an AWS Lambda event, JSON of { method, url, headers, body }, or a fixture'

type Advice = readonly [pattern: RegExp, advice: string]

/** What may be read as requests without a signature, and what to do instead. */
const MISREAD: readonly Advice[] = [
  [/^(?:\S+ )?=> Send header, /m, 'this is the output of curl --trace: capture with curl -v instead'],
  [
    /^[^\n]*"httpStatus":\d{1,3},"upstream":"|^\S{20,30}Z \d{1,3} (?:rejected|unavailable|verified|malformed) /,
    "this is the gateway's log, which does not have the request: start the gateway with --admin 127.0.0.1:9901 and copy the request from its page"
  ],
  [
    /^\s*\[\s*["'][\w-]+["']\s*,\s*["']|^(?!.*"headers"\s*:).*"rawHeaders"\s*:/s,
    'this has req.rawHeaders: write JSON.stringify({ method: req.method, url: req.url, headers: req.headers, body }) instead'
  ],
  [
    /^\s*(?:[{[]|array\b).*\b(?:REQUEST_METHOD|HTTP_HOST)["'\]]/is,
    "this is $_SERVER of PHP, which renames headers: write json_encode(['method' => $_SERVER['REQUEST_METHOD'], 'url' => $_SERVER['REQUEST_URI'], 'headers' => getallheaders(), 'body' => file_get_contents('php://input')]) instead"
  ],
  [
    /^\s*[A-Z]{3,7} \S+ HTTP\/1\.[01]\r?\n\s*\n[\w-]+: /,
    'there is an empty line after every line, and the first one ends the head: remove them'
  ],
  [
    // Lines of curl -v have > in front.
    /^(?!.{0,40}> )\S[^\n]*\s[A-Z]{3,7} \/\S* HTTP\/1\.[01]\r?\n\S[^\n]*\s[\w-]+: /m,
    'each line has something in front of it, such as a time or the name of a container: remove that from every line'
  ]
]

/** What people have instead of a capture, and what to capture. */
const RECOGNIZED: readonly Advice[] = [
  [/^\s*$/, 'the file is empty'],
  [
    /^(?:\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4)/,
    'this is a file of packets (pcap): save what tcpdump -A -r FILE prints of it'
  ],
  [
    /^\s*(?:0x)?[0-9a-f]{4,8}:?\s+(?:[0-9a-f]{2}){1,2} (?:[0-9a-f]{2}){1,2}\b/im,
    'this is a hex dump: capture with tcpdump -A instead of -X, or write the bytes themselves into a file'
  ],
  [
    /^\s*(?:<ref \*\d+> )?(?:IncomingMessage|Request|HonoRequest|Object)\b.*\{/,
    'this is how console.log prints an object: write JSON.stringify({ method, url, headers, body }) instead'
  ],
  [
    /^\S+ \S+ \S+ \[[^\]\n]+\] "/m,
    'this is an access log, which has no headers: capture the request itself, with tcpdump -A or in the receiver'
  ],
  [
    /^\s*(?:\$ )?https?\s+\S/m,
    'this is an HTTPie command, not what it sent: save what http --print=HB --pretty=none prints'
  ]
]

/**
 * Finds the requests in a file of any supported format.
 *
 * @throws UsageError that lists the formats, for anything else
 */
export function readCapture(file: Buffer): Entry[] {
  const { bytes, notes } = decode(file)
  const start = bytes.toString('latin1', 0, 10_000)
  // Log lines may begin with [2026-11-22 or [info].
  const entries = /^\s*(?:\{|\[\s*[[\]{"])/.test(start)
    ? parseJson(parseValue(bytes.toString('utf8')))
    : parseText(bytes, start)
  const adviceIn = (list: readonly Advice[]) => list.find(([pattern]) => pattern.test(start))?.[1]
  const misread = entries.some(isSigned) ? undefined : adviceIn(MISREAD)
  if (entries.length > 0 && misread === undefined)
    return entries.map(entry => ({ ...entry, notes: [...notes, ...entry.notes] }))
  const advice = misread ?? adviceIn(RECOGNIZED)
  throw new UsageError(
    advice === undefined
      ? `this is not a request in a format that explain reads: ${FORMATS}`
      : `${advice}; explain reads ${FORMATS}`
  )
}

/** The octets of what was captured: editors and shells add a byte order mark, and PowerShell writes UTF-16 with `>`. */
function decode(bytes: Buffer): { bytes: Buffer; notes: string[] } {
  const mark = bytes.toString('hex', 0, 3)
  if (mark === 'efbbbf') return { bytes: bytes.subarray(3), notes: [] }
  if (!/^(?:fffe|feff)/.test(mark)) return { bytes, notes: [] }
  const decoder = new TextDecoder(mark.startsWith('feff') ? 'utf-16be' : 'utf-16le')
  // An odd octet at the end is half a character that was cut off.
  const text = decoder.decode(bytes.subarray(0, bytes.length & ~1))
  const note =
    'the file is UTF-16, as PowerShell writes with >: its line ends and non-ASCII characters may differ from what was sent'
  return { bytes: Buffer.from(text, 'utf8'), notes: [note] }
}

/** JSON or, as logs have it, one value of it a line. @throws UsageError */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    try {
      const lines = text.trim().split('\n')
      return lines.map(line => JSON.parse(line))
    } catch {
      throw new UsageError(`the file looks like JSON but does not parse: ${problemIn(text, error as Error)}`)
    }
  }
}

/** With the line: Node's messages have the position only, and not always. */
function problemIn(text: string, { message }: Error): string {
  const blanked = text.replace(/"(?:[^"\\\n]|\\.)*"?/g, string => '_'.repeat(string.length))
  const comma = /,(?=\s*[}\]])/.exec(blanked)
  const position = comma?.index ?? Number(/position (\d+)/.exec(message)?.[1] ?? text.length)
  const line = text.slice(0, position).split('\n').length
  if (comma !== null) return `line ${line} has a comma before a closing bracket; remove it`
  return /^\s*\{\s*['A-Za-z_]/.test(text)
    ? 'this is how console.log, or a language other than JSON, prints an object; write JSON.stringify(...) instead'
    : `line ${line} is wrong; is the file cut off?`
}

/** `*` and `>` begin the lines of a curl dump, which shows pseudo-headers too; a body may hold any of the others. */
const BEGINS_AS_HTTP1 = /^[\r\n]*(?!\*)[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [^\n]* HTTP\/\d(?:\.\d)?\r?(?:\n|$)/

/** As copied out of a page or a message. */
const INDENTED = /^[\r\n]*([ \t]+)[A-Z]+ \S+ HTTP\/1\.[01]\r?\n\1/

function parseText(bytes: Buffer, start: string): Entry[] {
  if (/^\s*(?:\$ )?curl\s/.test(start)) return parseCurlCommand(bytes.toString('utf8'))
  const text = bytes.toString('latin1')
  const indent = INDENTED.exec(start)?.[1]
  if (indent !== undefined)
    return parseHttp(Buffer.from(text.replaceAll(`\n${indent}`, '\n').trimStart(), 'latin1'))
  if (PACKET.test(start)) return parseTcpdump(text)
  const sent = BEGINS_AS_HTTP1.test(start) ? [] : parseCurl(text)
  return sent.length > 0 ? sent : parseHttp(bytes)
}
