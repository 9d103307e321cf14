import { expect, test } from 'vitest'
import { parseCurl, parseTcpdump } from '../../../cli/captures/programs.ts'
import { readCapture } from '../../../cli/captures/read-capture.ts'
import { explain, headOf } from '../../support/explain.ts'
import { service } from '../../support/service.ts'
import { packet } from './build.ts'

const headFor = (body: string): string => headOf(service.sign({ target: '/hook', body }))
const body = '{"a":\n["b"]}'
const head = headFor(body)
const answer = packet('HTTP/1.1 200 OK\r\n\r\n', '127.0.0.1.8080 > 127.0.0.1.40000')

test.each([
  ['in one packet', packet(head + body) + answer],
  ['behind options of IP', packet(head + body).replace('\nE..4', '\nF..4....') + answer],
  ['in a packet of its own', packet('') + answer + packet(head) + answer + packet(body) + answer],
  ['in several', packet(head + body.slice(0, 3)) + packet(body.slice(3, 7)) + packet(body.slice(7))],
  ['with the head in two', packet(head.slice(0, 300)) + packet(head.slice(300) + body)],
  ['over IPv6', ['', head, body].map(part => packet(part, '::1.40000 > ::1.8080', '6')).join('')],
  ['with another connection in between', packet(head) + packet(head, 'a.1 > b.2') + packet(body)]
])('a request whose body is %s is verified', async (_, file) => {
  const { code, stdout, stderr } = await explain(file)
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^verified: /)])
  expect(stderr).not.toContain('body')
})

const NOT_ALL = 'tcpdump -A does not print every octet'

test.each([
  ['was not captured', packet(head), 'the capture does not have the body'],
  ['was captured in part', packet(head + body.slice(0, 3)), NOT_ALL],
  ['is not ASCII', packet(`${headFor('{"a":"é"}')}{"a":"é"}`), NOT_ALL],
  ['has CRLF', packet(`${headFor('a\r\nb')}a\r\nb`), NOT_ALL]
])('a request whose body %s is not decided', async (_, file, reason) => {
  const { code, stdout } = await explain(file)
  expect(stdout).toMatch(/^unavailable: the body is not in the capture; everything else passed\n/)
  expect(stdout).toContain(`digest            not run: ${reason}`)
  expect(code).toBe(2)
})

const FIRST = '17:47:58.245410 IP a.1 > b.2: Flags [P.], length 9'
const octetsOf = (first: string, size: number) => `${first}\n${'.'.repeat(size)}GET /a HTTP/1.1\nA: b\n\n\n`

test.each([
  FIRST,
  `eth0 ${FIRST}`,
  FIRST.replace('IP', 'eth0 In  IP'),
  `2026-01-02 ${FIRST}`,
  FIRST.replace('IP a', 'IP (tos 0x0, ttl 64)\n    a'),
  FIRST.replace('Flags', '[bad cksum 1 (->2)!] Flags'),
  `${FIRST}\n\tGET /b HTTP/1.1\n\tB: c`,
  `x\n${FIRST}`
])('a packet is known by the line before it: %j', first => {
  const read = () =>
    readCapture(Buffer.from(octetsOf(first, 40))).map(({ request }) => [request.target, request.headers])
  expect(read()).toEqual([['/a', [['A', 'b']]]])
})

test.each([
  `x${FIRST}`,
  FIRST.replace('410 ', ' '),
  FIRST.replace(' > ', ' '),
  FIRST.replace('IP', 'ARP'),
  FIRST.replace(': Flags', ' Flags'),
  FIRST.replace('Flags', 'Flag'),
  FIRST.replace('17:', '7:')
])('a line is not taken for that before a packet when it is only similar: %j', first => {
  expect(parseTcpdump(octetsOf(first, 40))).toEqual([])
})

const targets = (...packets: readonly string[]) => parseTcpdump(packets.join('')).map(({ request }) => request.target)

test.each([
  ['', '', 40],
  ['TS val 1, ', '', 52],
  ['', '6', 60],
  ['TS val 1, ', '6', 72]
])('a packet without a request line begins behind its headers: %j, IP%s, %i octets', (options, ip, size) => {
  const line = FIRST.replace('length', `${options}length`).replace('IP', `IP${ip}`)
  const octets = `${line}\n${'.'.repeat(size)}`
  const [entry] = parseTcpdump(`${octets}POST /a HTTP/1.1\nB: c\n\n${octets}D: e\n\n\n`)
  expect([...entry!.request.headers]).toEqual([
    ['B', 'c'],
    ['D', 'e']
  ])
})

test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
  'a request begins at its request line, whatever is in front of it in the packet: %s',
  method => expect(targets(`${FIRST}\n.\n${method} /m HTTP/1.0\n\n\n`)).toEqual(['/m'])
)

test('a packet that is too short for its headers, and has no request line, has no request', () => {
  const lines = ['GET /m HTTP/1.2\n', 'GET /m HTTP/1.1 x', 'GET HTTP/1.1']
  expect(targets(...lines.map(line => `${FIRST}\n.${line}\n\n`))).toEqual([])
})

test('a packet of length 0 has no octets, unless tcpdump says more about it', () => {
  const empty = FIRST.replace('length 9', 'length 0')
  expect(targets(`${empty}\nGET /no HTTP/1.1\n\n\n`)).toEqual([])
  expect(targets(`${empty}: x\nGET /a HTTP/1.1\n\n\n`)).toEqual(['/a'])
})

test('each connection has its own request', () => {
  const other = octetsOf(FIRST.replace('a.1', 'c.3'), 40).replace('/a', '/c')
  expect(targets(octetsOf(FIRST, 40), other)).toEqual(['/a', '/c'])
})

test.each<[text: string, heads: readonly (readonly [target: string, headers: object])[]]>([
  ['> GET /a HTTP/1.1\n> A: b\n> \n> C: d\n', [['/a', [['A', 'b']]]]],
  [
    '> GET /a HTTP/1.1\r\n> A: b\r\n>\r\n> GET /b HTTP/1.1',
    [
      ['/a', [['A', 'b']]],
      ['/b', []]
    ]
  ],
  ['1:00:00.1 > B: c\n12:00:00.1 > GET /a HTTP/1.1\n12:00:00.123456789 > A: b', [['/a', [['A', 'b']]]]],
  [
    '> GET /a HTTP/1.1\nx> B: c\n>D: e\nx12:00:00.1 > B: c\n12:00:00. > B: c\n12:00:00.1 B: c\n> A:  b \n',
    [['/a', [['A', 'b']]]]
  ],
  ['> GET /a HTTP/1.1\n{ > }\n< HTTP/1.1\n> A: b', [['/a', [['A', 'b']]]]],
  ['>\n> \n> GET /a HTTP/1.1\n>\n>\n', [['/a', []]]],
  ['GET /a HTTP/1.1\n', []]
])('the lines that curl -v marks are a head: %j', (text, heads) =>
  expect(parseCurl(text).map(({ request }) => [request.target, request.headers])).toEqual(heads)
)
