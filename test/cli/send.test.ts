import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveRecord } from '../../cli/send/key.ts'
import { tamper } from '../../cli/send/tamper.ts'
import { draftCavage } from '../../src/core/standards/draft-cavage/scheme.ts'
import { dnsTxtLookup, type VerifierOptions } from '../../src/index.ts'
import { memoryReplayStore } from '../../src/replay/index.ts'
import { rfc9421 } from '../../src/rfc9421/index.ts'
import type { SignedTestRequest } from '../../src/testing/sign.ts'
import { CLI, runCli } from '../support/cli.ts'
import { headOf, RECEIVER } from '../support/explain.ts'
import { freePort } from '../support/free-port.ts'
import { makeCertificate } from '../support/https.ts'
import { runInside } from '../support/run-cli.ts'
import { service } from '../support/service.ts'
import { until } from '../support/until.ts'
import { DNS, listenHere, receiver, SERVE_DNS, send, sendServed, serve, startReceiver } from './send/receiver.ts'

test('signs with a fresh key, serves its record, and prints the answer', async () => {
  const url = await startReceiver()
  const { code, stdout, stderr } = await runCli(['send', `${url}/hook?id=1`, '--data', '{"a":1}', ...SERVE_DNS])
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^serving the key test\._domainkey\.service\.example\n/)
  expect(stdout).toContain(`on ${DNS}, UDP and TCP\n`)
  expect(stdout).not.toContain('IN TXT')
  expect(stdout).toContain(`POST ${url}/hook?id=1\nanswer: 200 OK\n\n`)
  expect(stdout.replace(/\n {2}(?=\S)/g, '')).toContain(
    '{"account":"1234","keyId":"test._domainkey.service.example","body":"{\\\\"a\\\\":1}"}'
  )
  expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  expect(code).toBe(0)
})

test('signs by RFC 9421', async () => {
  const url = await startReceiver({ schemes: [rfc9421] })
  const signed = await sendServed(url, '--data', '{}', '--scheme', 'rfc9421')
  expect(signed).toMatchObject({ code: 0, stdout: expect.stringContaining(`POST ${url}/\nanswer: 200 OK`) })
  const draft = await sendServed(url, '--data', '{}')
  expect(draft).toMatchObject({ code: 1, stdout: expect.stringContaining('signature-missing') })
})

test('signs with a given key of 8192 bits, whose record does not fit into a datagram', async () => {
  const url = await startReceiver({ serviceDomain: 'brand.example', accounts: '77', accountHeader: 'X-Brand-ID' })
  const brand = '--domain brand.example --selector two --account 77 --account-header X-Brand-ID'.split(' ')
  const request = ['--method', 'PUT', '--data', '@-', '--header', 'X-Extra: 1']
  const key = ['--key', 'fixtures/source/keys/rsa-8192.pem']
  const { code, stdout } = await runCli(['send', url, ...brand, ...request, ...key, ...SERVE_DNS], 'from a pipe')
  expect(stdout).toContain(`PUT ${url}/\nanswer: 200 OK`)
  expect(stdout).toContain('two._domainkey.brand.example')
  expect(stdout).toContain('from a pipe')
  expect(code).toBe(0)
})

test('signs another Host, and a part of the path that a proxy strips', async () => {
  const brand = { accounts: '7', accountHeader: 'X-Brand-ID', accountPrefix: 'brand-' }
  const receive = receiver({ ...brand, hosts: 'hooks.example.com' })
  let target: string | undefined
  const url = await serve((request, response) => {
    target = request.url
    request.url = `/hooks${target}`
    receive(request, response)
  })
  const flags =
    '--host hooks.example.com --prefix /hooks --account 7 --account-header X-Brand-ID --account-prefix brand-'
  const { code, stdout } = await sendServed(`${url}/a?b=1`, ...flags.split(' '))
  expect([code, target]).toEqual([0, '/a?b=1'])
  expect(stdout).toContain('answer: 200 OK\n')
})

test('over TLS on loopback with any certificate, when told to', async () => {
  const certificate = await makeCertificate('localhost')
  const port = await listenHere(createHttpsServer(certificate, receiver({ requireHttps: true })))
  const accepted = await sendServed(`https://localhost:${port}/`, '--allow-self-signed')
  expect(accepted).toMatchObject({ code: 0, stdout: expect.stringContaining('answer: 200 OK') })

  const says = 'self-signed certificate \\(DEPTH_ZERO_SELF_SIGNED_CERT\\)'
  expect(await sendServed(`https://localhost:${port}/`)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(new RegExp(`^signed-requests: no answer from localhost:${port}: ${says}; .*\n$`))
  })
})

test('ends with 1 when the receiver says no, with 2 when it cannot tell or does not answer', async () => {
  const url = await startReceiver({ lookupTimeout: 100 })
  const otherAccount = await sendServed(url, '--account', '99')
  expect(otherAccount.stdout).toContain('answer: 401 Unauthorized\n\n  account-mismatch')
  expect(otherAccount.code).toBe(1)

  const withoutDns = await send(url)
  expect(withoutDns.stdout).toContain('answer: 503 Service Unavailable')
  expect(withoutDns.code).toBe(2)

  const stderr = `signed-requests: no answer from ${DNS}: nothing listens there (ECONNREFUSED)\n`
  expect(await send(`http://${DNS}/`)).toMatchObject({ code: 2, stderr })
})

test('escapes the answer, and shows the beginning of a long one', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, 'Fine\x9b31m')
    response.write('\x1b[31mred\nsecond')
    response.end('x'.repeat(10_000_000))
  })
  const { code, stdout } = await send(url)
  expect(stdout).toMatch(/^[ -~\n]*$/)
  expect(stdout).toContain('answer: 200 Fine\\x9b31m\n\n  \\x1b[31mred\n  secondxxx')
  expect(stdout.length).toBeLessThan(5000)
  expect(code).toBe(0)
})

test('says that the port for DNS is taken, and ends', async () => {
  const url = await serve()
  const { host } = new URL(url)
  const problem = `cannot serve DNS on ${host} (--serve-dns): another program uses this port (EADDRINUSE)`
  const stderr = `signed-requests: ${problem}\n`
  expect(await send(url, ['--serve-dns', host])).toMatchObject({ code: 64, stderr })
})

test('serves DNS at any address of this machine that is loopback', async () => {
  const key = { keyId: 'a.example', record: ['v=DKIM1'] } as Parameters<typeof serveRecord>[1]
  // Not each system has the address.
  const served = serveRecord('127.10.200.3:0', key).then(dns => dns.close())
  await served.catch(({ message }) => expect(message).toMatch(/^cannot serve DNS on 127\.10\.200\.3:0/))
})

describe.each(['draft-cavage', 'rfc9421'])('a forgery by %s', scheme => {
  test.each([
    ['body', 'digest-mismatch'],
    ['date', 'signature-mismatch'],
    ['host', 'host-mismatch'],
    ['account', 'account-mismatch'],
    ['signature', 'signature-mismatch']
  ])('send explains that a forgery of the %s is refused with %s', async (what, refusal) => {
    const url = await startReceiver({ schemes: [draftCavage, rfc9421] })
    for (const data of [['--data', '{"a":1}'], []]) {
      const { code, stdout, text } = await sendServed(url, '--tamper', what, '--scheme', scheme, ...data)
      expect(text).toContain(`A receiver that verifies refuses it, with ${refusal}.`)
      expect(stdout).toContain(`answer: 401 Unauthorized\n\n  ${refusal}\n`)
      expect(code).toBe(0)
    }
  })
})

test.each([
  ['{"id":1}', '{"id":0}'],
  ['{"id":19,"a":true}', '{"id":18,"a":true}'],
  ['{"name":"Ann"}', '{"name":"Ano"}'],
  ['x', 'y'],
  ['{}', 'z}'],
  ['', 'x'],
  [null, 'x']
])('--tamper body of %s sends %s: JSON stays JSON where it has a digit', (text, forged) => {
  const body = text === null ? null : Buffer.from(text)
  const request = { headers: [], body } as unknown as SignedTestRequest
  expect(Buffer.from(tamper('body', request, 'X-Service-ID').forged.body!).toString()).toBe(forged)
})

describe('a refusal', () => {
  const LOOKUP = `  lookupTxt: dnsTxtLookup({ servers: ['${DNS}'] })\n`

  test('says that nobody asked the DNS server, and what to write', async () => {
    const { code, stdout, text } = await sendServed(await startReceiver(), '--account', '99')
    expect(text).toContain(`Nobody asked the DNS server at ${DNS} for test._`)
    expect(text).toContain(`start the gateway with --dns-server ${DNS}, or`)
    expect(stdout).toContain(LOOKUP)
    expect(code).toBe(1)
  })

  test('says that the receiver asked, and so has the key', async () => {
    const url = await startReceiver({ replayStore: { claim: async () => false, release: async () => {} } })
    const { code, text } = await sendServed(url)
    expect(text).toMatch(/The receiver did get the key test\._domainkey\.service\.example\. Its own log/)
    expect(text).not.toContain('lookupTxt')
    expect(code).toBe(1)
  })

  test('says that the receiver asked for another name', async () => {
    const lookup = dnsTxtLookup({ servers: [DNS] })
    const url = await startReceiver({ lookupTxt: (_, options) => lookup('other.service.example', options) })
    const { text } = await sendServed(url)
    expect(text).toContain('for test._domainkey.service.example: the receiver refused before')
  })

  test.each([
    [-400, 'ahead of'],
    [400, 'behind'],
    [-200, undefined]
  ])(
    'a refusal with a Date %i s from this machine names the clock first, from --date-tolerance on',
    async (seconds, way) => {
      const url = await serve((_, response) => {
        const date = new Date(Date.now() + seconds * 1000).toUTCString()
        response.writeHead(401, { Date: date, 'WWW-Authenticate': 'Signature' }).end()
      })
      const { code, text } = await send(url, ['--date-tolerance', '300'])
      expect(text.includes('lookupTxt')).toBe(way === undefined)
      if (way !== undefined) expect(text).toContain(`${way} the receiver's`)
      expect(code).toBe(1)
    }
  )

  const withoutDns = { lookupTxt: () => Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL' })) }
  const failing = { replayStore: { claim: () => Promise.reject(new Error('down')), release: async () => {} } }
  const COMMAND = '  npx signed-requests key test._domainkey.service.example\n'
  const ASK = /To let it ask the DNS server at .*, start the gateway with --dns-server/

  test.each<[options: Partial<VerifierOptions>, flags: string[], says: RegExp, shows: string[]]>([
    [withoutDns, [], /its DNS or its store does not answer, .* On the machine where it runs/, [COMMAND]],
    [withoutDns, SERVE_DNS, ASK, [COMMAND, LOOKUP]],
    [failing, SERVE_DNS, /did ask for the key, .* its replay store or its acc/, []]
  ])(
    'a refusal of 503 is explained by DNS or the store (%o, %j), and nothing is to be published',
    async (options, flags, says, shows) => {
      const { code, stdout, text } = await send(await startReceiver(options), ['--print-record', ...flags])
      expect(code).toBe(2)
      expect(text).toMatch(says)
      for (const line of shows) expect(stdout).toContain(line)
      expect(text).not.toMatch(/publish/)
    }
  )

  test('a response of 2xx from a receiver that never asked for the key is no proof', async () => {
    const url = await serve((_, response) => response.end())
    const { code, text } = await sendServed(url)
    expect(text).toMatch(/Accepted, but that proves nothing: nobody asked .* so the receiver verifies nothing, or/)
    expect(code).toBe(2)
    expect((await send(url)).code).toBe(0)
  })
})

describe('the same bytes again', () => {
  /** Several processes behind one address answer in turn. */
  function startFleet(...fleet: readonly Partial<VerifierOptions>[]): Promise<string> {
    const listeners = fleet.map(receiver)
    let count = 0
    return serve((req, res) => listeners[count++ % fleet.length]!(req, res))
  }
  const stored = () => ({ replayStore: memoryReplayStore() })
  const shared = stored()

  test('send --repeat ends with 0 when the first request is accepted and no repetition is', async () => {
    const { code, stdout } = await sendServed(await startFleet(stored()), '--repeat', '3', '--data', '{}')
    expect(stdout).toContain('1: answer: 200 OK')
    for (const number of [2, 3]) expect(stdout).toContain(`${number}: answer: 401 Unauthorized\n\n  replayed\n`)
    expect(stdout).toContain('\nEach replay was refused, as it should be.\n')
    expect(code).toBe(0)
  })

  test('send --repeat tells a repetition that was refused from one with another answer', async () => {
    const { text } = await sendServed(await startFleet(stored()), '--repeat', '2')
    expect(text).toContain('The replay was refused, as it should be.')
    const late = { claim: () => Promise.reject(new Error('gone')), release: async () => {} }
    const other = await sendServed(await startFleet({}, { replayStore: late }), '--repeat', '2')
    expect(other.text).toContain('No replay was accepted, but one response was 503 instead of 401.')
    expect(other.text).not.toContain('as it should be')
  })

  test('send --repeat ends with 1 when the first is refused', async () => {
    expect((await sendServed(await startFleet(stored()), '--repeat', '2', '--account', '9')).code).toBe(1)
  })

  const ALL = /Request 2, a replay of the same bytes, was accepted, like all others: .* no replay store, or it only/
  const SOME = /Request 2, .* others were refused \(2 of 4 accepted\): several receivers .* do not share a replay store/
  const OTHERS = /Request 2 was accepted, but request 1 .* several receivers answer .* settings, clocks or DNS differ/

  test.each<[name: string, fleet: Partial<VerifierOptions>[], code: number, says: RegExp]>([
    ['one without a store', [{}], 1, ALL],
    ['two, each with a store of its own', [stored(), stored()], 1, SOME],
    ['two with one store', [shared, shared], 0, /4: answer: 401/],
    ['two with different settings', [{ accounts: 'other' }, stored()], 1, OTHERS]
  ])('%s: says who answered', async (_, fleet, code, says) => {
    const finished = await sendServed(await startFleet(...fleet), '--repeat', '4')
    expect([finished.code, finished.text]).toEqual([code, expect.stringMatching(says)])
  })
})

describe('--tamper all', () => {
  const NAMES = ['one byte of the body', 'the Date', 'the Host', 'the account id', 'one character of the signature']

  test('sends each forgery and then the good request, and ends with 0 where only that is accepted', async () => {
    const seen: string[] = []
    const receive = receiver()
    const url = await serve((request, response) => {
      seen.push(String(request.headers['signature']))
      receive(request, response)
    })
    const { code, text, stdout } = await sendServed(url, '--data', '{"id":1}', '--tamper', 'all')
    expect(seen).toHaveLength(6)
    expect(new Set(seen).size).toBe(2)
    const order = [...NAMES.map(name => `tampered after signing: ${name}`), 'the good request\n']
    const places = order.map(part => stdout.indexOf(part))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    for (const part of order) expect(stdout).toContain(`\n\n${part}`)
    expect(stdout).not.toContain('\n\n\n')
    expect(text).toContain('In all: all 5 forgeries were refused; the good request was accepted.')
    expect(code).toBe(0)
  })

  test('--tamper all ends with 1 where a forgery was accepted, and names it', async () => {
    const receive = receiver()
    const url = await serve((request, response) => {
      if (request.headers.host === 'forged.example') return response.end()
      receive(request, response)
    })
    const { code, text } = await sendServed(url, '--tamper', 'all')
    expect(text).toContain('In all: not refused as it should be: host; the good request was accepted.')
    expect(code).toBe(1)
  })

  test('--tamper all ends with 1 where the good request is refused too, which proves nothing', async () => {
    const { code, text } = await sendServed(await startReceiver(), '--tamper', 'all', '--account', '99')
    expect(text).toContain('was not accepted, so the refusals prove nothing yet')
    expect(code).toBe(1)
  })

  test('--tamper all ends with 2 where nothing was decided', async () => {
    const url = await serve((_, response) => response.writeHead(503, { 'Retry-After': '1' }).end())
    expect((await sendServed(url, '--tamper', 'all')).code).toBe(2)
  })

  test.each([
    ['--print', 'curl'],
    ['--repeat', '2']
  ])('sends each request once: not with %s', async (...flags) => {
    const { code, stderr } = await send('http://localhost:9/', ['--tamper', 'all', ...flags])
    expect([code, stderr]).toEqual([64, expect.stringContaining('--tamper all sends each request once')])
  })
})

describe('a Host that nobody chose', () => {
  const hosts = { hosts: 'hooks.example.com' }

  test('a Host that nobody chose is said where a receiver refused before it asked for the key', async () => {
    const url = await startReceiver(hosts)
    const { code, text } = await sendServed(url)
    const { host } = new URL(url)
    expect(text).toContain(
      `The Host of the URL, ${host}, was signed. If the receiver has another name (hosts), sign that: --host`
    )
    expect(code).toBe(1)
  })

  test('a Host that nobody chose is said where a server has no site for it', async () => {
    const url = await serve((_, response) => response.writeHead(421).end())
    expect((await sendServed(url)).text).toContain('The Host of the URL, ')
  })

  test('a Host that nobody chose is not said where it was chosen, or cannot be why', async () => {
    const chosen = await sendServed(await startReceiver(hosts), '--host', 'other.example.com')
    const asked = await sendServed(await startReceiver({ lookupTxt: async () => [['v=DKIM1; p=']] }))
    const accepted = await sendServed(await startReceiver())
    for (const { text } of [chosen, accepted]) expect(text).not.toContain('that of the URL')
    expect(asked.code).toBe(1)
  })
})

describe('--start', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'send-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  /** Sends to a receiver that it starts: this module, with an answer to `(req, res)` and a port that is free. */
  async function start(answer: string, flags: readonly string[] = [], input = '') {
    const port = await freePort()
    const file = join(folder, `receiver-${port}.mjs`)
    await writeFile(
      file,
      `import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Resolver } from 'node:dns/promises'
const find = async () => (await new Resolver().resolveTxt('test._domainkey.service.example'))[0].join('').slice(0, 17)
process.on('SIGTERM', () => {})
createServer(async (req, res) => { ${answer} }).listen(${port})`
    )
    const url = `http://127.0.0.1:${port}`
    return { url, ...(await send(url, ['--start', file, ...flags], input)) }
  }

  test('starts the receiver as it is, and its resolver finds the key', async () => {
    const { code, stdout, url } = await start('res.end(await find())')
    expect(stdout).toContain('answer: 200 OK\n\n  v=DKIM1; k=rsa; p')
    expect(code).toBe(0)
    const gone = await send(url)
    expect(gone.code).toBe(2)
  })

  test('says that a resolver which the file sets is not replaced', async () => {
    const { code, text } = await start("res.writeHead(401, { 'WWW-Authenticate': 'Signature' }).end()")
    expect(text).toContain('sets its own resolver, which --start does not replace')
    expect(code).toBe(1)
  })

  test('--start lets a receiver that observes say its verdict after its response', async () => {
    const log = join(folder, 'observed')
    const { code } = await start(`res.end(); writeFileSync(${JSON.stringify(log)}, await find())`)
    expect(code).toBe(0)
    expect(await readFile(log, 'utf8')).toBe('v=DKIM1; k=rsa; p')
  })

  test('tries a captured request on a receiver of this machine in one line', async () => {
    const captured = headOf(service.sign({ method: 'PUT', target: '/a%2Fb?id=1', headers: { 'X-Event': 'paid' } }))
    const echo = "res.end(req.method + req.url + req.headers['x-event'])"
    const { code, stdout, text } = await start(echo, ['--request', '-'], captured)
    expect(stdout).toContain('  PUT/a%2Fb?id=1paid\n')
    expect(text).toMatch(/proves nothing: .* sets its own resolver, which --start does not replace: take that/)
    expect(code).toBe(2)
  })

  test('gives the port in PORT, and prints what the receiver writes with its name in front', async () => {
    const { stdout, stderr, url } = await start(
      "console.log('port ' + process.env.PORT + ' \\x1b[31mred'); console.error('and wrong'.repeat(20)); res.end(await find())"
    )
    expect(stdout).toContain(`\nreceiver: port ${new URL(url).port} red\n`)
    expect(stderr).toContain(`receiver: ${'and wrong'.repeat(20)}\n`)
  })

  test('starts it on --start-port behind a proxy that has the port of the URL', async () => {
    const [port, file] = [await freePort(), join(folder, 'behind.mjs')]
    await writeFile(
      file,
      `import { createServer } from 'node:http'
import { Resolver } from 'node:dns/promises'
createServer(async (req, res) => {
  const [strings] = await new Resolver().resolveTxt('test._domainkey.service.example')
  res.end(req.headers.host + strings.join('').slice(0, 8))
}).listen(process.env.PORT)`
    )
    const proxy = await serve((request, response) => {
      const { method, url: path, headers } = request
      request.pipe(httpRequest({ port, method, path, headers }, answer => answer.pipe(response)))
    })
    const { code, text } = await send(proxy, ['--start', file, '--start-port', String(port), '--host', 'a.example'])
    expect(text).toContain('answer: 200 OK')
    expect(text).toContain('a.examplev=DKIM1;')
    expect(code).toBe(0)
  })

  test('says that another program has the port of --start-port', async () => {
    const { port } = new URL(await serve())
    const { code, stderr } = await send('http://127.0.0.1:9/', ['--start', process.execPath, '--start-port', port])
    expect([code, stderr]).toEqual([
      64,
      expect.stringContaining(`another program already listens on localhost:${port}`)
    ])
  })

  test.each([
    ['0', '--start-port takes a port, such as 3000'],
    ['65536', '--start-port takes a port, such as 3000']
  ])('--start-port %s is a mistake', async (port, says) => {
    const { code, stderr } = await send('http://127.0.0.1:9/', ['--start', process.execPath, '--start-port', port])
    expect([code, stderr]).toEqual([64, expect.stringContaining(says)])
  })

  test('--start-port needs --start', async () => {
    const { code, stderr } = await send('http://127.0.0.1:9/', ['--start-port', '3000'])
    expect([code, stderr]).toEqual([64, expect.stringContaining('--start')])
  })

  const TYPESCRIPT = ": this Node.js cannot run its TypeScript: run this command with NODE_OPTIONS='--import tsx'"
  test.each([
    ['broken.mjs', 'process.exit(1)', ''],
    ['broken.ts', 'enum Status { Ended = 1 }\nprocess.exit(Status.Ended)', TYPESCRIPT],
    ['missing.mjs', "import 'no-such-package'", '']
  ])('says that %s has ended', async (name, source, advice) => {
    const file = join(folder, name)
    await writeFile(file, source)
    const stderr = expect.stringMatching(
      new RegExp(`(?:^|\n)signed-requests: ${file} \\(--start\\) has ended${advice}\n$`)
    )
    expect(await send(`http://127.0.0.1:${await freePort()}/`, ['--start', file])).toMatchObject({ code: 64, stderr })
  })

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129]
  ] as const)('the receiver ends with a command that %s ends', async (signal, code) => {
    const port = await freePort()
    const file = join(folder, `waiting-${port}.mjs`)
    await writeFile(
      file,
      `import { createServer } from 'node:http'\ncreateServer(() => console.log('asked')).listen(${port})`
    )
    const child = spawn(process.execPath, [CLI, 'send', `http://127.0.0.1:${port}/`, '--start', file])
    let text = ''
    child.stdout.setEncoding('utf8').on('data', chunk => {
      text += chunk
    })
    await until(() => text.includes('receiver: asked'))
    child.kill(signal)
    expect((await once(child, 'close'))[0]).toBe(code)
    await expect.poll(() => fetch(`http://127.0.0.1:${port}/`).catch(error => error.cause.code)).toBe('ECONNREFUSED')
  })

  test('a reader that stops reading both outputs ends neither the command, nor does its receiver stay', async () => {
    const port = await freePort()
    const file = join(folder, `loud-${port}.mjs`)
    await writeFile(
      file,
      `import { createServer } from 'node:http'
createServer((_, res) => {
  for (let i = 0; i < 100; i++) console.warn('x'.repeat(1000))
  res.end()
}).listen(${port})`
    )
    const child = spawn(process.execPath, [CLI, 'send', `http://127.0.0.1:${port}/`, '--start', file])
    child.stdout.destroy()
    child.stderr.destroy()
    // The request is accepted, but nobody asked for the key: that proves nothing.
    expect((await once(child, 'exit'))[0]).toBe(2)
    await expect.poll(() => fetch(`http://127.0.0.1:${port}/`).catch(error => error.cause.code)).toBe('ECONNREFUSED')
  })

  test('says that another program has the port', async () => {
    const stderr = expect.stringContaining('another program already listens on')
    expect(await send(await serve(), ['--start', process.execPath])).toMatchObject({ code: 64, stderr })
  })
})

describe('who answered', () => {
  const plain = (status: number, headers: Record<string, string> = {}) =>
    serve((_, response) => response.writeHead(status, headers).end())

  // exchange.test.ts has the texts for each status and each sign.
  test.each<[status: number, headers: Record<string, string>, says: RegExp, code: number]>([
    [404, { 'X-Powered-By': 'Express' }, /no route for GET \/hook.*x-powered-by: Express/, 1],
    [413, {}, /a body limit in front of the verifier/, 1],
    [503, { Server: '\x9b2J' }, /a maintenance page.*server: \\x9b2J/, 2]
  ])('%i: no advice on keys', async (status, headers, says, code) => {
    const finished = await sendServed(`${await plain(status, headers)}/hook`)
    expect(finished.text).toContain('This is not a refusal of signed-requests: ')
    expect(finished.text).toMatch(says)
    expect(finished.text).not.toContain('lookupTxt')
    expect(finished.code).toBe(code)
  })

  test('a forgery that is refused without a sign of this library may be refused by something else', async () => {
    const { code, text } = await send(await plain(401), ['--tamper', 'host'])
    expect(text).toContain('It may not be signed-requests that refused')
    expect(code).toBe(0)
  })

  test('a forgery that 503 answers is neither accepted nor refused', async () => {
    expect((await send(await plain(503, { 'Retry-After': '1' }), ['--tamper', 'host'])).code).toBe(2)
  })

  test.each([200, 404])('a forgery that %i answers is not rightly refused', async status => {
    expect((await send(await plain(status), ['--tamper', 'host'])).code).toBe(1)
  })
})

describe('--print sends nothing, and what it prints', () => {
  const print = (form: string, url: string, ...flags: string[]) => send(url, ['--print', form, ...flags])

  test.each([
    ['http', '{"id":1}'],
    ['http', 'a\nb\n'],
    ['http', ''],
    ['curl', "it's\n\\"]
  ])('--print %s prints a capture that explain reads: %j', async (form, data) => {
    const flags = ['--data', data, '--host', 'receiver.example']
    const { code, stdout, stderr } = await print(form, 'https://localhost:9/hook?a=[1]', ...flags)
    const explained = await runInside(['explain', ...RECEIVER, '--key-record', stderr], stdout)
    expect([code, explained.stdout]).toEqual([0, expect.stringMatching(/^verified: /)])
  })

  test.each([
    ['http', ['--data', 'caf\u00e9'], 'use --print curl'],
    ['curl', ['--header', 'X-A: \u00e9'], 'the head of this request is not ASCII']
  ])('--print %s cannot print %j', async (form, flags, says) => {
    const finished = await print(form, 'http://localhost:9/', ...flags)
    expect(finished).toMatchObject({ code: 64, stdout: '', stderr: expect.stringContaining(says) })
  })

  test('--print prints the forgery, and says beside it what was changed', async () => {
    const added = ['--header', 'X-A:  1 ']
    const { stdout, stderr } = await print('http', 'http://localhost:9/', '--tamper', 'host', ...added)
    expect(stdout).toContain('\nHost: forged.example\n')
    expect(stdout).toContain('\nX-A: 1\n')
    expect(stderr).toContain('tampered after signing: the Host')
  })

  test('--print curl has the options of curl that keep the request as it is', async () => {
    const { stdout } = await print('curl', 'https://localhost:9/', '--method', 'head', '--allow-self-signed')
    const start = 'curl --head \\\n  --insecure \\\n  --globoff --path-as-is https://localhost:9/'
    expect(stdout.slice(0, start.length)).toBe(start)
  })
})
