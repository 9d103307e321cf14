import { expect, test } from 'vitest'
import { parseTcpdump } from '../../../../src/cli/captures/programs.ts'
import { cpuTime } from '../../../support/cpu-time.ts'
import { runInside } from '../../../support/run-cli.ts'
import { service } from '../../../support/service.ts'

const [RECORD] = Object.values(service.records).map(([record]) => record!.join(''))
const FLAGS = ['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234']
const explain = (file: string) => runInside(['explain', ...FLAGS, '--key-record', RECORD!], file)

/** As tcpdump 4.99 prints one packet on Ethernet; a zero octet of its headers may also be a line feed. */
function packet(payload: string, flow = '127.0.0.1.40000 > 127.0.0.1.8080', version = ''): string {
  const length = `length ${payload.length}${payload.startsWith('POST') ? `: HTTP: ${payload.split('\r', 1)[0]}` : ''}`
  const options = 'options [nop,nop,TS val 1563080302 ecr 2482374446]'
  const octets = `E..4.4@.@.B...........J7mWZ&]. x...@.(.....${'.'.repeat(version === '6' ? 20 : 0)}\n]*.n\n..v`
  const printed = payload.replaceAll('\r\n', '\n').replace(/[^\n -~]/g, '.')
  return `17:47:58.245410 IP${version} ${flow}: Flags [P.], seq 1:9, ack 1, win 64, ${options}, ${length}\n${octets}${printed}\n`
}

const requestOf = (body: string): [head: string, body: string] => {
  const { method, target, headers } = service.sign({ method: 'POST', target: '/hook', body })
  return [`${method} ${target} HTTP/1.1\r\n${headers.map(pair => pair.join(': ')).join('\r\n')}\r\n\r\n`, body]
}
const [head, body] = requestOf('{"a":\n["b"]}')
const answer = packet('HTTP/1.1 200 OK\r\n\r\n', '127.0.0.1.8080 > 127.0.0.1.40000')

test.each([
  ['in one packet', packet(head + body) + answer],
  ['in a packet of its own', packet('') + answer + packet(head) + answer + packet(body) + answer],
  ['in several', packet(head + body.slice(0, 3)) + packet(body.slice(3, 7)) + packet(body.slice(7))],
  ['with the head in two', packet(head.slice(0, 300)) + packet(head.slice(300) + body)],
  ['over IPv6', ['', head, body].map(part => packet(part, '::1.40000 > ::1.8080', '6')).join('')],
  ['with another connection in between', packet(head) + packet(head, 'a.1 > b.2') + packet(body)]
])('a request whose body is %s is verified', async (_, file) => {
  const { code, stdout, stderr } = await explain(file)
  expect(stdout).toMatch(/^verified: /)
  expect(stderr).not.toContain('body')
  expect(code).toBe(0)
})

test.each([
  ['was not captured', packet(head), 'the capture does not have the body'],
  ['was captured in part', packet(head + body.slice(0, 3)), 'tcpdump -A does not print every octet'],
  ['is not ASCII', packet(requestOf('{"a":"é"}').join('')), 'tcpdump -A does not print every octet'],
  ['has CRLF', packet(requestOf('a\r\nb').join('')), 'tcpdump -A does not print every octet']
])('a body that %s is not decided', async (_, file, reason) => {
  const { code, stdout } = await explain(file)
  expect(stdout).toMatch(/^unavailable: the body is not in the capture; all else passed\n/)
  expect(stdout).toContain(`digest            not run: ${reason}`)
  expect(code).toBe(2)
})

test('takes time in proportion to the size', async () => {
  const start = '17:47:58.245410 '
  for (const file of [
    start.repeat(200_000),
    `${start}IP a > b: `.repeat(200_000),
    `${start}IP (${') a > b: [] '.repeat(20_000)}`
  ])
    expect(await cpuTime(() => parseTcpdump(file))).toBeLessThan(1000)
})
