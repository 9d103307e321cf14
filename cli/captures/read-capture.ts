import { UsageError } from '../../flags/usage-error.ts'
import { TOKEN_CHARACTERS } from '../../src/internal/index.ts'
import { type Entry, isSigned } from './capture.ts'
import { CURL_COMMAND, parseCurlCommand } from './curl-command.ts'
import { jsonIn } from './exports.ts'
import { formatNames } from './formats.ts'
import { parseHttp } from './http.ts'
import { parseJson } from './json.ts'
import { ACCESS_LOGS } from './logs.ts'
import { lineOf, measureJson } from './measure-json.ts'
import { MITMPROXY, parseMitmproxy } from './mitmproxy.ts'
import { PACKET, parseCurl, parseTcpdump } from './programs.ts'

const LOGGED = 'this is how console.log prints an object: write JSON.stringify of method, url, headers, body'
const RAW = 'this has req.rawHeaders: write JSON.stringify of { method, url, headers: req.headers, body }'
const PHP =
  "this is $_SERVER of PHP, which renames headers: save json_encode(['method' => $_SERVER['REQUEST_METHOD'], " +
  "'url' => $_SERVER['REQUEST_URI'], 'headers' => getallheaders(), 'body' => file_get_contents('php://input')])"
const HEADERS = 'these are headers alone: save JSON of { method, url, headers, body }'
const SNIPPET = 'capture the request where it arrives, or copy it as cURL'
const MARKED = 'each line has something in front of it, such as a time: remove that from every line'

/**
 * Matches pcap in either byte order, and pcapng; a request may be readable in it, but not the packets that belong to
 * it.
 */
const PCAP = /^(?:\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4|\n\r\r\n)/

/** Recognises files that people have instead of a capture, and says what to capture. */
const NOT_CAPTURES: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/^\s*$/, 'the file is empty'],
  [PCAP, 'this is a pcap file: save the output of tcpdump -A -r FILE'],
  [/^(?:\S+ )?=> Send header, /m, 'this is the output of curl --trace: capture with curl -v instead'],
  [/^\s*(?:0x)?[0-9a-f]{4,8}:?[ \t]+(?:[0-9a-f]{2} ?){4}/im, 'this is a hex dump: use tcpdump -A'],
  [/^\s*(?:<ref \*\d+> )?(?:IncomingMessage|Request|HonoRequest|Object)\b.*\{/, LOGGED],
  [/^\s*\[\s*["'][\w-]+["']\s*,\s*["']|^(?!.*"headers"\s*:).*"rawHeaders"\s*:/s, RAW],
  [/^\s*(?:[{[]|array\b).*\b(?:REQUEST_METHOD|HTTP_HOST)["'\]]/is, PHP],
  [/^\s*\{(?!.*"(?:headers|method)"\s*:).*"(?:host|signature)"\s*:/is, HEADERS],
  [/^\S+Z \d{3} [a-z]+ /, "this is the gateway's log as text: explain needs --log json"],
  [/^\s*(?:\$\w+\s*=\s*)?(?:Invoke-(?:WebRequest|RestMethod)|iwr|irm)\s/im, `this is a PowerShell command: ${SNIPPET}`],
  [/^[^\n]*\bfetch\(/, `this is a call of fetch(): ${SNIPPET}`],
  [/^\w+ \S+ HTTP\/1\.[01]\r?\n\s*\n[\w-]+: /, 'every second line is empty: remove those lines'],
  // Lines of curl -v have > in front.
  [/^(?!.{0,40}> )\S[^\n]*\s[A-Z]{3,7} \/\S* HTTP\/1\.[01]\r?\n\S[^\n]*\s[\w-]+: /m, MARKED],
  [
    /^\s*(?:\[\s*)?\{.*"httpRequest":\s*\{/s,
    'httpRequest of Cloud Logging has no headers: log the request in the function'
  ],
  [/^(?:---\n)?(?:\w+:.*\n){0,20}insertId: /, 'this is YAML of gcloud: read the log with --format json'],
  [/^"?@?timestamp"?,"?@?message"?\r?\n/, 'this is a CSV of CloudWatch: export the results as JSON'],
  ...ACCESS_LOGS,
  [/^type: collection\.insomnia\.rest\//m, 'this is a collection of Insomnia 5, in YAML: export it as HAR'],
  [/^\s*(?:\$ )?https?\s+\S/, 'this is an HTTPie command: save the output of http --print=HB --pretty=none']
]

/** Answers a file in no known format. */
export const NOT_A_CAPTURE = 'this is not a request in a supported format'

/**
 * Finds the requests in a file of any supported format.
 *
 * @throws UsageError that lists the formats, for anything else
 */
export function readCapture(file: Buffer): Entry[] {
  const { bytes, notes } = decode(file)
  const start = bytes.toString('latin1', 0, 10_000)
  const entries = PCAP.test(start) ? [] : parse(bytes, start)
  const other = entries.some(isSigned) ? undefined : NOT_CAPTURES.find(([pattern]) => pattern.test(start))
  if (other !== undefined) throw new UsageError(`${other[1]}; supported formats: ${formatNames()}`)
  if (entries.length > 0) return entries.map(entry => ({ ...entry, notes: [...notes, ...entry.notes] }))
  throw new UsageError(`${NOT_A_CAPTURE}: ${formatNames()}`)
}

const UTF16 =
  'the file is UTF-16, as PowerShell writes with >: its line ends and non-ASCII characters may differ from what ' +
  'was sent'

/**
 * Decodes the octets of the capture: editors and shells add a byte order mark, and PowerShell writes UTF-16 with `>`.
 */
function decode(bytes: Buffer): { bytes: Buffer; notes: string[] } {
  const mark = bytes.toString('hex', 0, 3)
  if (mark === 'efbbbf') return { bytes: bytes.subarray(3), notes: [] }
  if (!/^(?:fffe|feff)/.test(mark)) return { bytes, notes: [] }
  const decoder = new TextDecoder(mark.startsWith('feff') ? 'utf-16be' : 'utf-16le')
  // An odd octet at the end is half a character that was cut off.
  return { bytes: Buffer.from(decoder.decode(bytes.subarray(0, bytes.length & ~1))), notes: [UTF16] }
}

/**
 * Matches a line of HTTP/1.1. `*` and `>` begin the lines of a curl dump, which shows pseudo-headers too; a body may
 * hold any of the others.
 */
const BEGINS_AS_HTTP1 = new RegExp(`^[\\r\\n]*(?!\\*)[${TOKEN_CHARACTERS}]+ [^\\n]* HTTP/\\d(?:\\.\\d)?\\r?(?:\\n|$)`)

const CURL_DUMP = /^> [A-Z]+ \S+ HTTP\/\d/m

/** Matches text that was copied, with its indent, out of a page or a message. */
const INDENTED = /^[\r\n]*([ \t]+)[A-Z]+ \S+ HTTP\/1\.[01]\r?\n\1/

function parse(bytes: Buffer, start: string): Entry[] {
  if (MITMPROXY.test(start)) return parseMitmproxy(bytes)
  // Log lines may begin with [2026-11-22 or [info].
  if (/^\s*(?:\{|\[\s*[[\]{"])/.test(start)) return parseJsonText(bytes)
  // The lines that curl -v prints under a command are the request that was sent.
  if (CURL_COMMAND.test(start) && !CURL_DUMP.test(start)) return parseCurlCommand(bytes.toString('latin1'))
  const [, indent] = INDENTED.exec(start) ?? []
  if (indent !== undefined) return parseHttp(unindent(bytes, Buffer.from(indent)))
  const text = bytes.toString('latin1')
  if (PACKET.test(start)) return parseTcpdump(text)
  const sent = BEGINS_AS_HTTP1.test(start) ? [] : parseCurl(text)
  if (sent.length > 0) return sent
  const found = parseHttp(bytes)
  return found.length > 0 ? found : parseLogLines(bytes)
}

/** Parses the lines of a log that end with JSON, such as those of a function in CloudWatch. */
function parseLogLines(bytes: Buffer): Entry[] {
  if (!bytes.includes('{')) return []
  measureJson(bytes)
  const values = bytes.toString('utf8').split('\n').map(jsonIn)
  return parseJson(values.filter(value => value !== undefined))
}

/** Removes the indent from each line that has it. */
function unindent(bytes: Buffer, indent: Buffer): Buffer {
  const lines = Buffer.alloc(bytes.length)
  let length = 0
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    end = bytes.indexOf('\n', at) + 1 || bytes.length
    const isIndented = bytes.compare(indent, 0, indent.length, at, Math.min(at + indent.length, end)) === 0
    length += bytes.copy(lines, length, at + (isIndented ? indent.length : 0), end)
  }
  return lines.subarray(0, length)
}

/** Parses JSON or, as in logs, one value of JSON a line. @throws UsageError */
function parseJsonText(bytes: Buffer): Entry[] {
  const { comma, hasRepeatedName } = measureJson(bytes)
  const text = bytes.toString('utf8')
  try {
    // Each line break that a comma replaces keeps the positions as they are.
    const entries = parseJson(JSON.parse(`[${text.replace(/\n(?=\{)(?<=\}[ \t\r]*\n)/g, ',')}]`))
    return hasRepeatedName ? entries.map(entry => ({ ...entry, notes: [REPEATED, ...entry.notes] })) : entries
  } catch (error) {
    if (error instanceof UsageError) throw error
    const problem = error instanceof SyntaxError ? `does not parse: ${problemIn(bytes, error, comma)}` : MISTYPED
    throw new UsageError(`the file looks like JSON but ${problem}`)
  }
}

const REPEATED = 'a name is twice in one object of the JSON: only its last value is read'

const MISTYPED = 'has a value of the wrong type (the body of a Lambda event is a string)'

/** Adds the line to a message: Node's messages have the position only, and not always. */
function problemIn(bytes: Buffer, { message }: Error, comma: number | undefined): string {
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? bytes.length + 1) - 1
  const line = lineOf(bytes, comma ?? position)
  if (comma !== undefined) return `line ${line} has a comma before a closing bracket; remove it`
  return /^\s*\{\s*['A-Za-z_]/.test(bytes.toString('latin1', 0, 1000))
    ? LOGGED
    : `line ${line} is wrong; is the file cut off?`
}
