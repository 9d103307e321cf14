import type { Entry } from './capture.ts'
import { parseHttp } from './http.ts'

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
  return [...streams.values()].flatMap(stream => parseHttp(Buffer.from(stream, 'latin1'))).map(asPrinted)
}

/** A dot may be any octet, and a line break CRLF: a body that does not match its digest is not known. */
function asPrinted(entry: Entry): Entry {
  const { body } = entry.request
  if (!(body instanceof Uint8Array) || body.length === 0) return entry
  const missingBody = 'tcpdump -A does not print every octet of the body as it was'
  return { ...entry, missingBody, otherBodies: [[body, 'the body is as tcpdump printed it']], notes: [] }
}
