import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCertificate } from '../support/https.ts'
import { listen } from '../support/listen.ts'
import { PROXIES, type RunningProxy } from '../support/proxies.ts'

const HOST = 'receiver.example'
const page = readFileSync(new URL('../../docs/behind-a-proxy.md', import.meta.url), 'utf8')

/** Returns the cells of the table's row for this proxy, without their code marks. */
const row = (name: string): string[] =>
  page
    .split('\n')
    .find(line => line.startsWith(`| ${name} |`))!
    .split('|')
    .slice(2, -1)
    .map(cell => cell.trim().replace(/^`|`$/g, ''))

const TARGETS = ['//b', '/a%2Fb', '/a;v=1', '/a/../b', '/%7Ea', '?a[]=%20']

const certificate = await makeCertificate(HOST)

/** Returns how each target arrives behind a prefix, and whether a header with an underscore does. */
async function arrivals(port: number, prefix: string, seen: string[]): Promise<string[]> {
  const found: string[] = []
  let answer = ''
  for (const target of TARGETS) {
    seen.length = 0
    answer = await ask(port, prefix + target)
    found.push(seen[0] === target ? 'same' : String(seen[0]))
  }
  return [...found, /yes|dropped/.exec(answer)?.[0] ?? '']
}

async function ask(port: number, target: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', servername: HOST, ca: certificate.cert })
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${HOST}\r\nx_under_score: 1\r\nConnection: close\r\n\r\n`)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}

describe.each(Object.entries(PROXIES).filter(([name]) => name !== 'nginx with HTTP/1.1'))('%s', (name, startProxy) => {
  const seen: string[] = []
  let proxy: RunningProxy
  const receiver = createServer((req, res) => {
    seen.push((req.url ?? '').replace(/^\/hook(?=.)/, ''))
    res.end('x_under_score' in req.headers ? 'yes' : 'dropped')
  })
  beforeAll(async () => {
    proxy = await startProxy(certificate, await listen(receiver))
  })
  afterAll(async () => {
    await proxy?.stop()
    receiver.close()
  })

  test('passes on what the page says', async () => expect(await arrivals(proxy.port, '/hook', seen)).toEqual(row(name)))

  test('passes on what the page says when it strips a prefix', async () => {
    expect(await arrivals(proxy.strippingPort, '/hooks/hook', seen)).toEqual(row(`${name}, stripping`))
  })
})
