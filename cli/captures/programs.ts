import { assertWithin, type Entry, MAX_ENTRIES } from './capture.ts'
import { parseHttp } from './http.ts'

/** Matches a line that curl sent, as `curl -v` marks it; `--trace-time` puts a time before it. */
const SENT = /^(?:\d\d:\d\d:\d\d\.\d{1,9} )?>(?: (.*?))?\r?$/s

/** Parses the heads that `curl -v` prints with `> ` before each line. It does not print the body. */
export function parseCurl(text: string): Entry[] {
  const entries: Entry[] = []
  let head: string[] = []
  let at = 0
  while (at < text.length && entries.length < MAX_ENTRIES) {
    const lineBreak = text.indexOf('\n', at)
    const end = lineBreak < 0 ? text.length : lineBreak
    const [sent, line] = SENT.exec(text.slice(at, end)) ?? []
    at = end + 1
    if (line) head.push(line)
    assertWithin('header lines', head.length)
    if (sent === undefined || line || head.length === 0) continue
    // An empty line ends a head.
    entries.push(...parseHttp(Buffer.from(head.join('\n'), 'latin1')))
    head = []
  }
  return [...entries, ...parseHttp(Buffer.from(head.join('\n'), 'latin1'))]
}

/**
 * Matches the lines that `tcpdump` prints before the octets of a packet; with -v they are more, and the head is among
 * them.
 */
export const PACKET = new RegExp(
  [
    /^(?:\S{1,20} )?\d\d:\d\d:\d\d\.\d{6} (?:\S{1,20} {1,9}){0,3}/, // time, interface, direction
    /IP(6?) (?:\(.{1,300}\)\s{1,9})?(\S{1,99} > \S{1,99}): /, // the addresses
    /(?:\[.{1,60}\] )?Flags (.*)\n(?:\t(?!0x).*\n){0,200}/ // TCP
  ]
    .map(({ source }) => source)
    .join(''),
  'm'
)

const REQUEST = /(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \S+ HTTP\/1\.[01]$/m

/** Parses the output of `tcpdump -A`: each connection's packets in order, without the headers of IP and TCP. */
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
