/**
 * Measures the cost of a check behind each engine of docs/engines.md: runs the same engine with and without it,
 * alternately, one request at a time on a kept connection. `npm run bench:engines`
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { createTestService, type SignedTestRequest, serveDns } from 'signed-requests/testing'
import { ENGINES, end, startEngine } from '../gateway/test/engines/engine.ts'
import { startApplication } from '../gateway/test/start.ts'
import { freePort } from '../test/support/free-port.ts'

const ROUNDS = 10
const IN_A_ROUND = 100

/** Returns the page's configuration without its check. */
const withoutCheck = (text: string): string =>
  text
    .replace(/ *- name: envoy\.filters\.http\.ext_authz[\s\S]*?(?= *- name: envoy\.filters\.http\.router)/, '')
    .replace(/ *access_by_lua_block \{[\s\S]*?\n {6}\}\n/, '')
    .replace('middlewares: [signed, dropped]', 'middlewares: [dropped]')
    .replace('js_content signed.check;', 'proxy_pass http://application$request_uri; proxy_http_version 1.1;')

const service = createTestService()
const dns = await serveDns(service)
const application = await startApplication()
const ports = { authorizer: await freePort(), application: Number(application.url.port) }

async function startAuthorizer(from: string): Promise<ChildProcess> {
  const authorizer = spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      'gateway/src/cli.ts',
      'authorize',
      '--from',
      from,
      '--https',
      'x-forwarded-proto',
      '--domain',
      'service.example',
      '--host',
      'hooks.example.com',
      '--account',
      '1234',
      '--listen',
      `127.0.0.1:${ports.authorizer}`,
      '--dns-server',
      dns.address
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] }
  )
  await once(authorizer.stderr, 'data')
  return authorizer
}

const sign = (body: string): SignedTestRequest =>
  service.sign({ host: 'hooks.example.com', method: 'POST', target: '/hook', body })

function send(port: number, agent: Agent, signed: SignedTestRequest): Promise<number> {
  const { method, target: path, headers, body } = signed
  return new Promise((resolve, reject) => {
    const start = performance.now()
    const options = {
      host: '127.0.0.1',
      port,
      agent,
      method,
      path,
      headers: headers.flat(),
      rejectUnauthorized: false
    }
    request(options, res => {
      if (res.statusCode !== 200) reject(new Error(`status ${res.statusCode}`))
      res.resume().on('end', () => resolve(performance.now() - start))
    })
      .on('error', reject)
      .end(body)
  })
}

const quantile = (times: readonly number[], q: number): number =>
  [...times].sort((a, b) => a - b)[Math.floor(q * times.length)] ?? 0

console.log('| engine | body | without, median | with, median | added, median | without, 99 % | with, 99 % |')
console.log('|---|---|---:|---:|---:|---:|---:|')
for (const engine of ENGINES) {
  const reason = engine.missing()
  if (reason !== undefined) {
    console.log(`| ${engine.name} | not measured: ${reason} |`)
    continue
  }
  const authorizer = await startAuthorizer(engine.from)
  const checked = await startEngine(engine, ports)
  const plain = await startEngine(engine, ports, withoutCheck)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (const [name, size] of [
    ['1 KB', 1000],
    ['100 KB', 100_000]
  ] as const) {
    const times: { checked: number[]; plain: number[] } = { checked: [], plain: [] }
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [kind, { port }] of Object.entries({ plain, checked }) as ['plain' | 'checked', typeof plain][]) {
        for (let i = 0; i < IN_A_ROUND; i++) {
          const time = await send(port, agent, sign('x'.repeat(size)))
          if (round > 0) times[kind].push(time)
        }
      }
    }
    const [p50, c50] = [quantile(times.plain, 0.5), quantile(times.checked, 0.5)]
    const [p99, c99] = [quantile(times.plain, 0.99), quantile(times.checked, 0.99)]
    const ms = (value: number) => `${value.toFixed(2)} ms`
    console.log(`| ${engine.name} | ${name} | ${ms(p50)} | ${ms(c50)} | ${ms(c50 - p50)} | ${ms(p99)} | ${ms(c99)} |`)
  }
  agent.destroy()
  await checked.stop()
  await plain.stop()
  await end(authorizer)
}
await application.close()
await dns.close()
