import { lineValues } from '../../http/fields.ts'
import { type Entry, entryOf, MAX_ENTRIES, splitUrl } from './capture.ts'
import { parseHeader, parseHttp } from './http.ts'

/** What curl sent, as `curl -v` marks it; `--trace-time` puts a time before it. */
const SENT = /^(?:\d\d:\d\d:\d\d\.\d{1,9} )?>(?: (.*?))?\r?$/s

/** Parses the heads that `curl -v` prints with `> ` before each line. It does not print the body. */
export function parseCurl(text: string): Entry[] {
  const sent = text.split('\n').flatMap(line => SENT.exec(line)?.slice(1) ?? [])
  const heads = sent.join('\n').split('\n\n', MAX_ENTRIES)
  return heads.flatMap(head => parseHttp(Buffer.from(head, 'latin1')))
}

/** A word of a POSIX shell; browsers write `$'...'` where a text has more than printable ASCII. */
const WORD = /(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/gs
const QUOTED = /\$'((?:[^'\\]|\\.)*)'|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

const unescapeAnsi = (text: string): string =>
  text.replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(.))/gis, (_, unit?: string, octet = unit, char = '') =>
    octet === undefined ? (CONTROLS[char] ?? char) : String.fromCharCode(Number.parseInt(octet, 16))
  )

const wordsIn = (text: string): string[] =>
  (text.replace(/\\\r?\n/g, ' ').match(WORD) ?? []).map(word =>
    word.replace(QUOTED, (_, ansi?: string, exact?: string, double?: string, char = '') =>
      ansi === undefined ? (exact ?? double?.replace(/\\(["\\$`])/g, '$1') ?? char) : unescapeAnsi(ansi)
    )
  )

/** Parses a curl command, as "copy as cURL" of browsers and of sites that inspect requests writes it. */
export function parseCurlCommand(text: string): Entry[] {
  const words = wordsIn(text)
  const after = (pattern: RegExp): string[] =>
    words.flatMap((word, i) => (i > 0 && pattern.test(words[i - 1]!) ? [word] : []))
  const url = words.find(word => /^https?:\/\//i.test(word))
  if (url === undefined) return []
  const data = after(/^(?:-d|--data(?:-raw|-binary|-ascii)?)$/)
  const [method = data.length > 0 ? 'POST' : 'GET'] = after(/^(?:-X|--request)$/)
  const headers = after(/^(?:-H|--header)$/).map(line => parseHeader(Buffer.from(line).toString('latin1')))
  // What stands in a file is not in the command.
  const isGiven = data.length > 0 && !data.some(part => part.startsWith('@'))
  const body = isGiven ? Buffer.from(data.join('&')) : null
  // curl writes it itself.
  if (body !== null && lineValues(headers, 'content-length').length === 0)
    headers.push(['Content-Length', String(body.length)])
  return [entryOf({ method, ...splitUrl(url), headers, body })]
}

/** The lines that `tcpdump` prints before the octets of a packet; with -v they are more, and the head is among them. */
export const PACKET =
  /^(?:\S{1,20} )?\d\d:\d\d:\d\d\.\d{6} (?:\S{1,20} {1,9}){0,3}IP(6?) (?:\(.{1,300}\)\s{1,9})?(\S{1,99} > \S{1,99}): (?:\[.{1,60}\] )?Flags (.*)\n(?:\t(?!0x).*\n){0,200}/m

const REQUEST = /(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \S+ HTTP\/1\.[01]$/m

/** Parses what `tcpdump -A` prints: each connection's packets in order, without the headers of IP and TCP. */
export function parseTcpdump(text: string): Entry[] {
  const streams = new Map<string, string>()
  const [, ...parts] = text.split(PACKET)
  for (let i = 0; i < parts.length; i += 4) {
    const [version, connection = '', flags = '', octets = ''] = parts.slice(i, i + 4)
    const start = octets.search(REQUEST)
    const size = (version === '6' ? 40 : 20) + (flags.includes('TS val') ? 32 : 20)
    const payload = /length 0$/.test(flags) ? '' : octets.slice(start < 0 ? size : start, -1)
    streams.set(connection, (streams.get(connection) ?? '') + payload)
  }
  // A dot may be any octet, and a line break CRLF.
  const lostBody = 'tcpdump -A does not print every octet of the body as it was'
  return [...streams.values()].flatMap(stream => parseHttp(Buffer.from(stream, 'latin1'), lostBody))
}
