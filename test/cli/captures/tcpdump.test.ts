import { expect, test } from 'vitest'
import { explain, headOf } from '../../support/explain.ts'
import { service } from '../../support/service.ts'

/** Prints one packet on Ethernet as tcpdump 4.99 does; a zero octet of its headers may also be a line feed. */
function packet(payload: string, flow = '127.0.0.1.40000 > 127.0.0.1.8080', version = ''): string {
  const length = `length ${payload.length}${payload.startsWith('POST') ? `: HTTP: ${payload.split('\r', 1)[0]}` : ''}`
  const options = 'options [nop,nop,TS val 1563080302 ecr 2482374446]'
  const octets = `E..4.4@.@.B...........J7mWZ&]. x...@.(.....${'.'.repeat(version === '6' ? 20 : 0)}\n]*.n\n..v`
  const printed = payload.replaceAll('\r\n', '\n').replace(/[^\n -~]/g, '.')
  return `17:47:58.245410 IP${version} ${flow}: Flags [P.], seq 1:9, ack 1, win 64, ${options}, ${length}\n${octets}${printed}\n`
}

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
])('a body that %s is not decided', async (_, file, reason) => {
  const { code, stdout } = await explain(file)
  expect(stdout).toMatch(/^unavailable: the body is not in the capture; all else passed\n/)
  expect(stdout).toContain(`digest            not run: ${reason}`)
  expect(code).toBe(2)
})
