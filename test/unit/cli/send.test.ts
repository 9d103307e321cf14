import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { tamper } from '../../../src/cli/send/tamper.ts'
import { createVerifier, dnsTxtLookup, fromNodeRequest, httpStatus, type VerifierOptions } from '../../../src/index.ts'
import { memoryReplayStore } from '../../../src/replay/index.ts'
import { draftCavage } from '../../../src/standards/draft-cavage/scheme.ts'
import { rfc9421 } from '../../../src/standards/rfc9421/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import type { SignedTestRequest } from '../../../src/testing/sign.ts'
import { runCli } from '../../support/cli.ts'
import { freePort } from '../../support/free-port.ts'
import { makeCertificate } from '../../support/https.ts'
import { listen as listenOn } from '../../support/listen.ts'
import { runInside } from '../../support/run-cli.ts'
import { FORMATS, type Format } from './captures/build.ts'

const keyFile = 'fixtures/source/keys/one.pem'
const send = (url: string, ...flags: string[]) => runInside(['send', url, '--key', keyFile, ...flags])
/** The same with a DNS server that has the key. */
const sendServed = (url: string, ...flags: string[]) => send(url, '--serve-dns', dnsAddress, ...flags)
/** Without the line breaks that fit the text to a terminal. */
const unwrapped = ({ stdout }: { stdout: string }): string => stdout.replace(/\n(?=\S)/g, ' ')

let folder: string
let dnsAddress: string
const servers: Server[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'send-'))
  dnsAddress = `127.0.0.1:${await freePort()}`
})
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})
afterAll(() => rm(folder, { recursive: true }))

async function listen(server: Server): Promise<number> {
  servers.push(server)
  return listenOn(server)
}

/** A receiver as its developer would write it; it answers with what it made of the request. */
const receiver =
  (port: () => number, options: Partial<VerifierOptions> = {}): RequestListener =>
  async (request, response) => {
    const verify = createVerifier({
      serviceDomain: 'service.example',
      hosts: [`127.0.0.1:${port()}`, `localhost:${port()}`],
      accounts: '1234',
      lookupTxt: dnsTxtLookup({ servers: [dnsAddress] }),
      requireHttps: false,
      ...options
    })
    const verdict = await verify(fromNodeRequest(request))
    response.statusCode = httpStatus(verdict)
    if (verdict.status === 'rejected') response.setHeader('WWW-Authenticate', 'Signature')
    if (verdict.status === 'unavailable') response.setHeader('Retry-After', '60')
    response.end(
      verdict.status === 'verified'
        ? JSON.stringify({
            account: verdict.accountId,
            keyId: verdict.keyId,
            body: String(Buffer.from(verdict.body))
          })
        : verdict.failures.map(({ code }) => code).join()
    )
  }

async function startReceiver(options?: Partial<VerifierOptions>): Promise<string> {
  let port = 0
  port = await listen(createServer(receiver(() => port, options)))
  return `http://127.0.0.1:${port}`
}

it('signs with a fresh key, serves its record, and prints the answer', async () => {
  const url = await startReceiver()
  const args = ['send', `${url}/hook?id=1`, '--data', '{"a":1}', '--serve-dns', dnsAddress]
  const { code, stdout, stderr } = await runCli(args)
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^serving the key test\._domainkey\.service\.example\n/)
  expect(stdout).toContain(`on ${dnsAddress}, UDP and TCP\n`)
  expect(stdout).not.toContain('IN TXT')
  expect(stdout).toContain(`POST ${url}/hook?id=1\nanswer: 200 OK\n\n`)
  expect(stdout.replace(/\n {2}(?=\S)/g, '')).toContain(
    '{"account":"1234","keyId":"test._domainkey.service.example","body":"{\\\\"a\\\\":1}"}'
  )
  expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  expect(code).toBe(0)
})

it('signs by RFC 9421', async () => {
  const url = await startReceiver({ schemes: [rfc9421] })
  const send = (...flags: string[]) => sendServed(`${url}/hook?id=1`, '--data', '{}', ...flags)
  expect(await send('--scheme', 'rfc9421')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('answer: 200 OK')
  })
  expect(await send()).toMatchObject({ code: 1, stdout: expect.stringContaining('signature-missing') })
  expect(await send('--scheme', 'rfc')).toMatchObject({
    code: 64,
    stderr: 'signed-requests: --scheme must be one of draft-cavage, rfc9421\n'
  })
})

it('signs with a given key of 8192 bits, whose record does not fit into a datagram', async () => {
  const brand = { serviceDomain: 'brand.example', accounts: '77', accountHeader: 'X-Brand-ID' }
  const url = await startReceiver(brand)
  const flags =
    '--domain brand.example --selector two --account 77 --account-header X-Brand-ID --method PUT --data @- --key fixtures/source/keys/rsa-8192.pem'
  const args = ['send', url, ...flags.split(' '), '--header', 'X-Extra: 1', '--serve-dns', dnsAddress]
  const { code, stdout } = await runCli(args, 'from a pipe')
  expect(stdout).toContain(`PUT ${url}/\nanswer: 200 OK`)
  expect(stdout).toContain('two._domainkey.brand.example')
  expect(stdout).toContain('from a pipe')
  expect(code).toBe(0)
})

it('over TLS on loopback with any certificate, when told to', async () => {
  let port = 0
  const certificate = await makeCertificate('localhost')
  port = await listen(
    createHttpsServer(
      certificate,
      receiver(() => port, { requireHttps: true })
    )
  )
  const accepted = await sendServed(`https://localhost:${port}/`, '--allow-self-signed')
  expect(accepted.stdout).toContain('answer: 200 OK')
  expect(accepted.code).toBe(0)

  const refused = await sendServed(`https://localhost:${port}/`)
  const named = await send(`https://hooks.example.com:${port}/a`, '--allow-self-signed')
  expect([named.code, named.stderr]).toEqual([
    64,
    'signed-requests: --allow-self-signed is for loopback addresses; if hooks.example.com is a name of this machine: ' +
      `write https://localhost:${port}/a --host hooks.example.com:${port}\n`
  ])
  expect(refused.stderr).toMatch(
    /^signed-requests: no answer from localhost:\d+: self-signed certificate \(DEPTH_ZERO_SELF_SIGNED_CERT\); .*\n$/
  )
  expect(refused.code).toBe(2)
})

it('ends with 1 when the receiver says no, with 2 when it cannot tell or does not answer', async () => {
  const url = await startReceiver({ lookupTimeout: 100 })
  const otherAccount = await sendServed(url, '--account', '99')
  expect(otherAccount.stdout).toContain('answer: 401 Unauthorized\n\n  account-mismatch')
  expect(otherAccount.code).toBe(1)

  const withoutDns = await send(url)
  expect(withoutDns.stdout).toContain('answer: 503 Service Unavailable')
  expect(withoutDns.code).toBe(2)

  const nobody = await send(`http://${dnsAddress}/`)
  expect(nobody.stderr).toBe(`signed-requests: no answer from ${dnsAddress}: nothing listens there (ECONNREFUSED)\n`)
  expect(nobody.code).toBe(2)
})

describe('a forgery', () => {
  it.each([
    ['body', 'digest-mismatch'],
    ['date', 'signature-mismatch'],
    ['host', 'host-mismatch'],
    ['account', 'account-mismatch'],
    ['signature', 'signature-mismatch']
  ])('of the %s is refused with %s, and explained', async (what, code) => {
    const receivers = {
      'draft-cavage': await startReceiver(),
      rfc9421: await startReceiver({ schemes: [draftCavage, rfc9421] })
    }
    for (const [scheme, url] of Object.entries(receivers)) {
      for (const data of [['--data', '{"a":1}'], []]) {
        const finished = await sendServed(url, '--tamper', what, '--scheme', scheme, ...data)
        expect(unwrapped(finished)).toContain(`A receiver that verifies refuses it, with ${code}.`)
        expect(finished.stdout).toContain(`answer: 401 Unauthorized\n\n  ${code}\n`)
        expect(finished.stdout).toContain('Refused, as it should be.')
        expect(finished.code).toBe(0)
      }
    }
  })
})

describe('--tamper body', () => {
  const forge = (text: string | null) => {
    const body = text === null ? null : Buffer.from(text)
    const { forged } = tamper('body', { headers: [], body } as unknown as SignedTestRequest, 'X-Service-ID')
    return Buffer.from(forged.body!).toString()
  }

  it.each([
    ['{"id":1}', '{"id":0}'],
    ['{"id":19,"a":true}', '{"id":18,"a":true}'],
    ['{"name":"Ann"}', '{"name":"Ano"}'],
    ['x', 'y'],
    ['{}', 'z}'],
    ['', 'x'],
    [null, 'x']
  ])('of %s sends %s: JSON stays JSON where it has a digit', (text, forged) => {
    expect(forge(text)).toBe(forged)
  })
})

describe('a refusal', () => {
  it('says that nobody asked the DNS server, and what to write', async () => {
    const url = await startReceiver()
    const finished = await sendServed(url, '--account', '99')
    expect(unwrapped(finished)).toContain(`Nobody asked the DNS server at ${dnsAddress} for test._`)
    expect(unwrapped(finished)).toContain(`start the gateway with --dns-server ${dnsAddress}, or`)
    expect(finished.stdout).toContain(`  lookupTxt: dnsTxtLookup({ servers: ['${dnsAddress}'] })\n`)
    expect(finished.code).toBe(1)
  })

  it('says that the receiver asked, and so has the key', async () => {
    const url = await startReceiver({ replayStore: { claim: async () => false, release: async () => {} } })
    const finished = await sendServed(url)
    expect(unwrapped(finished)).toMatch(/The receiver did get the key test\._domainkey\.service\.example\. Its own log/)
    expect(finished.stdout).not.toContain('lookupTxt')
    expect(finished.code).toBe(1)
  })

  it.each([
    [-400, 'ahead of'],
    [400, 'behind'],
    [-200, undefined]
  ])('with a Date %i s from this machine: the clock first, from --date-tolerance on', async (seconds, way) => {
    const port = await listen(
      createServer((_, response) => {
        const date = new Date(Date.now() + seconds * 1000).toUTCString()
        response.writeHead(401, { Date: date, 'WWW-Authenticate': 'Signature' }).end()
      })
    )
    const { code, stdout } = await send(`http://127.0.0.1:${port}/`, '--date-tolerance', '300')
    expect(stdout.includes('lookupTxt')).toBe(way === undefined)
    if (way !== undefined) expect(stdout.replaceAll('\n', ' ')).toContain(`${way} the receiver's`)
    expect(code).toBe(1)
  })

  it('says that the receiver asked for another name', async () => {
    const url = await startReceiver({
      lookupTxt: (_, options) => dnsTxtLookup({ servers: [dnsAddress] })('other.service.example', options)
    })
    expect(unwrapped(await sendServed(url))).toContain(
      'for test._domainkey.service.example: the receiver refused before'
    )
  })

  it('of 503 is its DNS or its store, and nothing is to be published', async () => {
    const failing = { claim: () => Promise.reject(new Error('down')), release: async () => {} }
    const withoutDns = () => Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL' }))
    const command = '  npx signed-requests key test._domainkey.service.example\n'
    for (const [options, flags, says, shows] of [
      [
        { lookupTxt: withoutDns },
        [],
        /its DNS or its store does not answer, .* On the machine where it runs/,
        [command]
      ],
      [
        { lookupTxt: withoutDns },
        ['--serve-dns', dnsAddress],
        /If it is to ask the DNS server at .*, start the gateway with --dns-server/,
        [command, `  lookupTxt: dnsTxtLookup({ servers: ['${dnsAddress}'] })\n`]
      ],
      [{ replayStore: failing }, ['--serve-dns', dnsAddress], /did ask for the key, .* its replay store or its acc/, []]
    ] as const) {
      const finished = await send(await startReceiver(options), '--print-record', ...flags)
      expect(finished.code).toBe(2)
      expect(unwrapped(finished)).toMatch(says)
      for (const line of shows) expect(finished.stdout).toContain(line)
      expect(unwrapped(finished)).not.toMatch(/publish/)
    }
  })

  it('of 2xx from a receiver that never asked for the key is no proof', async () => {
    const port = await listen(createServer((_, response) => response.end()))
    const finished = await sendServed(`http://127.0.0.1:${port}/`)
    expect(unwrapped(finished)).toMatch(
      /Accepted, which is no proof: nobody asked .* so the receiver verifies nothing, or/
    )
    expect(finished.code).toBe(2)
    expect((await send(`http://127.0.0.1:${port}/`)).code).toBe(0)
  })
})

describe('the same bytes again', () => {
  const repeat = (url: string, times: string, ...flags: string[]) => sendServed(url, '--repeat', times, ...flags)

  it('ends with 0 when the first is accepted and no repetition is', async () => {
    const url = await startReceiver({ replayStore: memoryReplayStore() })
    const { code, stdout } = await repeat(url, '3', '--data', '{}')
    expect(stdout).toContain('1: answer: 200 OK')
    expect(stdout).toContain('2: answer: 401 Unauthorized\n\n  replayed\n')
    expect(stdout).toContain('3: answer: 401 Unauthorized\n\n  replayed\n')
    expect(code).toBe(0)
  })

  it('ends with 1, and says why, when a repetition is accepted', async () => {
    const { code, stdout } = await repeat(await startReceiver(), '2')
    expect(stdout).toMatch(/Request 2, a replay of the same bytes, was accepted/)
    expect(code).toBe(1)
  })

  it('ends with 1 when the first is refused', async () => {
    const url = await startReceiver({ replayStore: memoryReplayStore() })
    expect((await repeat(url, '2', '--account', '9')).code).toBe(1)
  })

  /** Several processes behind one address, in turn. */
  async function startFleet(...fleet: readonly Partial<VerifierOptions>[]): Promise<string> {
    let [port, count] = [0, 0]
    const listeners = fleet.map(options => receiver(() => port, options))
    port = await listen(createServer((req, res) => listeners[count++ % fleet.length]!(req, res)))
    return `http://127.0.0.1:${port}`
  }
  const shared = memoryReplayStore()

  it.each<[name: string, fleet: () => Partial<VerifierOptions>[], code: number, says: RegExp]>([
    [
      'one without a store',
      () => [{}],
      1,
      /was accepted, and so was each: the receiver has no replay store, or it only/
    ],
    [
      'two, each with a store of its own',
      () => [{ replayStore: memoryReplayStore() }, { replayStore: memoryReplayStore() }],
      1,
      /Request 2, .* others were refused \(2 of 4 accepted\): several receivers .* do not share a replay store/
    ],
    ['two with one store', () => [{ replayStore: shared }, { replayStore: shared }], 0, /4: answer: 401/],
    [
      'two with different settings',
      () => [{ accounts: 'other' }, { replayStore: memoryReplayStore() }],
      1,
      /Request 2 was accepted, and request 1, .* several receivers answer .* settings, clocks or DNS differ/
    ]
  ])('%s: says who answered', async (_, fleet, code, says) => {
    const finished = await repeat(await startFleet(...fleet()), '4')
    expect(unwrapped(finished)).toMatch(says)
    expect(finished.code).toBe(code)
  })
})

it('signs another Host, and a part of the path that a proxy strips', async () => {
  const port = await listen(
    createServer(async (request, response) => {
      const verify = createVerifier({
        serviceDomain: 'service.example',
        hosts: 'hooks.example.com',
        accounts: '7',
        accountHeader: 'X-Brand-ID',
        accountPrefix: 'brand-',
        lookupTxt: dnsTxtLookup({ servers: [dnsAddress] }),
        requireHttps: false
      })
      const received = fromNodeRequest(request)
      const verdict = await verify({ ...received, target: `/hooks${received.target}` })
      response.writeHead(httpStatus(verdict)).end(request.url)
    })
  )
  const flags =
    '--host hooks.example.com --prefix /hooks --account 7 --account-header X-Brand-ID --account-prefix brand-'
  const { code, stdout } = await sendServed(`http://127.0.0.1:${port}/a?b=1`, ...flags.split(' '))
  expect(stdout).toContain('answer: 200 OK\n\n  /a?b=1\n')
  expect(code).toBe(0)
})

it('escapes the answer, and shows the beginning of a long one', async () => {
  const port = await listen(
    createServer((_, response) => {
      response.writeHead(200, 'Fine\x9b31m')
      response.write('\x1b[31mred\nsecond')
      response.end('x'.repeat(10_000_000))
    })
  )
  const { code, stdout } = await send(`http://127.0.0.1:${port}/`)
  expect(stdout).toMatch(/^[ -~\n]*$/)
  expect(stdout).toContain('answer: 200 Fine\\x9b31m\n\n  \\x1b[31mred\n  secondxxx')
  expect(stdout.length).toBeLessThan(5000)
  expect(code).toBe(0)
})

it('says that the port for DNS is taken, and ends', async () => {
  const port = await listen(createServer())
  const { code, stderr } = await send(`http://127.0.0.1:${port}/`, '--serve-dns', `127.0.0.1:${port}`)
  expect([code, stderr]).toEqual([
    64,
    `signed-requests: cannot serve DNS on 127.0.0.1:${port} (--serve-dns): another program has this port (EADDRINUSE)\n`
  ])
})

it('rejects a file that is not an RSA private key', async () => {
  const key = 'fixtures/source/keys/ec-p256.pem'
  const { code, stderr } = await runInside(['send', 'http://127.0.0.1:1/', '--key', key])
  expect([code, stderr]).toEqual([64, `signed-requests: ${key} is not an RSA private key in PEM\n`])
})

describe('--start', () => {
  const RECEIVER = `import { createServer } from 'node:http'
import { Resolver } from 'node:dns/promises'
createServer(async (req, res) => {
  const records = await new Resolver().resolveTxt('test._domainkey.service.example')
  res.end(records[0].join('').slice(0, 17))
}).listen(PORT)`

  it('starts the receiver as it is, and its resolver finds the key', async () => {
    const port = await freePort()
    const file = join(folder, 'receiver.mjs')
    const stubborn = "process.on('SIGTERM', () => {})"
    await writeFile(file, `${RECEIVER.replace('PORT)', `${port})`)}\n${stubborn}`)
    const { code, stdout } = await send(`http://127.0.0.1:${port}/`, '--start', file)
    expect(stdout).toContain('answer: 200 OK\n\n  v=DKIM1; k=rsa; p')
    expect(code).toBe(0)
    const gone = await send(`http://127.0.0.1:${port}/`)
    expect(gone.code).toBe(2)
  })

  it('says that a resolver which the file sets is not replaced', async () => {
    const port = await freePort()
    const file = join(folder, 'own-resolver.mjs')
    const head = "{ 'WWW-Authenticate': 'Signature' }"
    await writeFile(
      file,
      `import { createServer } from 'node:http'
createServer((_, res) => res.writeHead(401, ${head}).end()).listen(${port})`
    )
    const finished = await send(`http://127.0.0.1:${port}/`, '--start', file)
    expect(unwrapped(finished)).toContain('sets a resolver of its own, which --start does not replace')
    expect(finished.code).toBe(1)
  })

  it('lets one that observes say its verdict after its response', async () => {
    const port = await freePort()
    const [file, log] = [join(folder, 'observer.mjs'), join(folder, 'observed')]
    const observer = `import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Resolver } from 'node:dns/promises'
createServer(async (req, res) => {
  res.end()
  const [record] = await new Resolver().resolveTxt('test._domainkey.service.example')
  writeFileSync(${JSON.stringify(log)}, record.join('').slice(0, 17))
}).listen(${port})`
    await writeFile(file, observer)
    expect((await send(`http://127.0.0.1:${port}/`, '--start', file)).code).toBe(0)
    expect(await readFile(log, 'utf8')).toBe('v=DKIM1; k=rsa; p')
  })

  it('says that it has ended, or that another program has the port', async () => {
    const port = await freePort()
    const broken = join(folder, 'broken.mjs')
    await writeFile(broken, 'process.exit(1)')
    expect(await send(`http://127.0.0.1:${port}/`, '--start', broken)).toMatchObject({
      code: 64,
      stderr: `signed-requests: ${broken} (--start) has ended\n`
    })
    const typed = join(folder, 'broken.ts')
    await writeFile(typed, 'enum Status { Ended = 1 }\nprocess.exit(Status.Ended)')
    expect((await send(`http://127.0.0.1:${port}/`, '--start', typed)).stderr).toContain(
      "(--start) has ended: if this Node.js cannot run its TypeScript, run this command with NODE_OPTIONS='--import tsx'"
    )
    const taken = await listen(createServer())
    const { code, stderr } = await send(`http://127.0.0.1:${taken}/`, '--start', broken)
    expect([code, stderr]).toEqual([64, expect.stringContaining('another program listens on')])
  })
})

describe('who answered', () => {
  const plain = (status: number, headers: Record<string, string> = {}, body = '') =>
    listen(createServer((_, response) => response.writeHead(status, headers).end(body)))

  it.each<[status: number, headers: Record<string, string>, says: RegExp, code: number]>([
    [404, { 'X-Powered-By': 'Express' }, /no route for GET \/hook.*x-powered-by: Express/, 1],
    [405, {}, /the route does not take this method/, 1],
    [308, { Location: 'https://www.a.example/hook' }, /a redirect: .* location: https:\/\/www\.a\.example\/hook/, 1],
    [415, {}, /does not take this Content-Type/, 1],
    [421, {}, /no site for this Host/, 1],
    [504, {}, /a proxy waits for the application in vain/, 1],
    [502, { Server: 'nginx' }, /a proxy does not reach the application.*server: nginx/, 1],
    [403, {}, /a CSRF filter, a firewall or a bot rule/, 1],
    [401, {}, /something else asks for credentials/, 1],
    [413, { 'Content-Type': 'text/html' }, /a body limit in front of the verifier/, 1],
    [413, {}, /a body limit in front of the verifier/, 1],
    [503, { Server: 'Caddy' }, /a maintenance page/, 2]
  ])('%i: no advice on keys', async (status, headers, says, code) => {
    const port = await plain(status, headers)
    const finished = await sendServed(`http://127.0.0.1:${port}/hook`)
    const text = unwrapped(finished)
    expect(text).toContain('This is not a refusal of signed-requests: ')
    expect(text).toMatch(says)
    expect(text).not.toContain('lookupTxt')
    expect(finished.code).toBe(code)
  })

  it('a forgery that is refused without a sign of this library may be refused by something else', async () => {
    const port = await plain(401)
    const finished = await send(`http://127.0.0.1:${port}/`, '--tamper', 'host')
    expect(unwrapped(finished)).toContain('It may not be signed-requests that refused')
    expect(finished.code).toBe(0)
  })

  it('a forgery that is accepted, or met by something else, is not rightly refused', async () => {
    for (const status of [200, 404]) {
      const port = await plain(status)
      const { code } = await send(`http://127.0.0.1:${port}/`, '--tamper', 'host')
      expect([status, code]).toEqual([status, 1])
    }
  })
})

/** Of another key, another account and another receiver, and too old for any. */
const captured = createTestService({ rsaBits: 1024, accountId: '77' }).sign({
  method: 'PUT',
  target: '/in/a%2Fb/../c?id=1&x=%20',
  body: '{"id":1}',
  date: '2020-01-01',
  headers: { 'Content-Type': 'application/vnd.a+json', 'X-Event': 'paid', Connection: 'X-Hop', 'X-Hop': '1' }
})
const rawHttp = FORMATS[0]!

const fixture: Format = {
  name: 'a fixture',
  write({ method, target, headers, body }) {
    const request = { method, target, headers, body: { utf8: Buffer.from(body ?? []).toString() }, https: true }
    return Buffer.from(JSON.stringify({ request, now: '2020-01-01T00:00:00Z', dns: {} }))
  }
}

describe('--request signs a captured request again', () => {
  const received: { method: string; url: string; headers: Record<string, unknown> }[] = []
  let port: number
  const again = (capture: string | Uint8Array, ...flags: string[]) =>
    runInside(
      ['send', `http://127.0.0.1:${port}`, '--key', keyFile, '--serve-dns', dnsAddress, '--request', '-', ...flags],
      capture
    )
  beforeEach(async () => {
    received.length = 0
    port = await listen(
      createServer((request, response) => {
        received.push({ method: request.method!, url: request.url!, headers: request.headers })
        receiver(() => port, { accounts: ['77', '8'], schemes: [draftCavage, rfc9421] })(request, response)
      })
    )
  })

  describe.each([...FORMATS, fixture])('$name', ({ write, isBodyless }) => {
    const body = isBodyless ? ['--data', '{"id":1}'] : []
    it.each(['draft-cavage', 'rfc9421'])('is accepted, signed by %s', async scheme => {
      const finished = await again(write(captured), ...body, '--scheme', scheme)
      expect(finished.stdout).toContain('answer: 200 OK')
      expect(finished.stdout.replace(/\n {2}(?=\S)/g, '')).toContain('"account":"77"')
      expect(unwrapped(finished)).toContain('captured: PUT /in/a%2Fb/../c?id=1&x=%20, a body of 8 bytes')
      expect(received).toMatchObject([
        {
          method: 'PUT',
          url: captured.target,
          headers: { 'content-type': 'application/vnd.a+json', 'x-event': 'paid', 'content-length': '8' }
        }
      ])
      expect(received[0]?.headers['x-hop']).toBeUndefined()
      expect(finished.code).toBe(0)
    })
    it.each(['body', 'date', 'host', 'account', 'signature'])('is refused with --tamper %s', async what => {
      const { code, stdout } = await again(write(captured), ...body, '--tamper', what)
      expect(stdout).toContain('answer: 401 Unauthorized')
      expect([code, received.length]).toEqual([0, 1])
    })
    if (isBodyless)
      it('is not sent without its body', async () => {
        const { code, stderr } = await again(write(captured))
        expect([code, received]).toEqual([64, []])
        expect(stderr).toContain('the capture does not have the body: --data @FILE gives it\n')
      })
  })

  it('a path of the URL replaces the target, and flags replace what the capture has', async () => {
    const url = `http://127.0.0.1:${port}/hook?a=b`
    const flags = '--account 8 --method POST --prefix /p'.split(' ')
    const header = ['--header', 'content-type: text/plain']
    const { stdout } = await sendServed(url, '--request', await fileOf(rawHttp.write(captured)), ...flags, ...header)
    const text = unwrapped({ stdout })
    expect(text).toContain('the URL replaces the captured target /in/a%2Fb/../c?id=1&x=%20')
    expect(text).toMatch(/signed again: POST \/p\/hook\?a=b, a body of 8 bytes; Host: .*; X-Service-ID: account-8/)
    expect(text).toContain('left out: connection, x-hop')
    expect(received).toMatchObject([{ method: 'POST', url: '/hook?a=b', headers: { 'content-type': 'text/plain' } }])
  })

  it('what proxies added is left out, lines of a name are joined, and no type is made up', async () => {
    const head =
      'POST https://other.example/a HTTP/1.1\r\nHost: other.example\r\nX-Forwarded-Proto: https\r\nVia: 1.1 b'
    const lines = 'X-A: 1\r\nX-A: 2\r\nCookie: a=b\r\ncookie: c=d\r\nExpect: 100-continue\r\nContent-Length: 2'
    const { code } = await again(`${head}\r\n${lines}\r\n\r\n{}`, '--account', '77')
    const [request] = received
    expect([code, request?.url]).toEqual([0, '/a'])
    expect(request?.headers).toMatchObject({ 'x-a': '1, 2', cookie: 'a=b; c=d', host: `127.0.0.1:${port}` })
    for (const name of ['x-forwarded-proto', 'via', 'expect', 'content-type'])
      expect(request?.headers).not.toHaveProperty(name)
  })

  it('Content-Encoding is left out where the body of the capture is inflated', async () => {
    const gzip = 'POST /a HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}'
    const finished = await again(gzip, '--account', '77')
    expect(unwrapped(finished)).toContain('the body in the capture is not compressed (gzip) any more')
    expect(received[0]?.headers).not.toHaveProperty('content-encoding')
  })

  it('takes the first request that is signed, or the one that is asked for', async () => {
    const unsigned = 'POST /first HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}'
    const both = `${unsigned}\r\n${rawHttp.write(captured)}`
    const { stderr } = await again(both)
    expect(stderr).toBe('note: this is request 2 of 2 in the file: --entry N chooses another\n')
    await again(both, '--entry', '1', '--account', '8')
    expect(received.map(({ url }) => url)).toEqual([captured.target, '/first'])
  })

  it.each<[name: string, capture: string | Uint8Array, says: string]>([
    ['a line break in the name of a header', jsonCapture({ headers: { 'X\r\nA': '1' } }), 'is not a token'],
    ['a line break in Host', jsonCapture({ headers: { Host: 'a.example\r\nX: 1' } }), 'has a line break'],
    ['a terminal escape in a value', jsonCapture({ headers: { X: '\x1b[2J' } }), 'another control character'],
    ['a character beyond an octet', jsonCapture({ headers: { X: '\u20ac' } }), 'another control character'],
    ['a space in the method', jsonCapture({ method: 'GET /x' }), 'the method is not a token'],
    ['a line break in the target', jsonCapture({ url: '/a\r\nHost: b' }), 'has a line break'],
    ['a terminal escape in the target', jsonCapture({ url: '/\x1b[2J' }), 'the target in the capture cannot be sent'],
    ['a target that is no path', jsonCapture({ method: 'CONNECT', url: 'a:443' }), 'the target in the capture'],
    ['600 headers', jsonCapture({ headers: Array(600).fill(['a', 'b']) }), 'more than 500 header lines'],
    ['JSON that is deep', '['.repeat(100_000), 'levels of nested JSON'],
    ['100 MB', Buffer.alloc(100_000_000, ' '), 'larger than 16 MB: save the one request'],
    ['no capture', 'hello', 'this is not a request in a format that is read here'],
    ['a body that is not there', jsonCapture({ headers: { 'Content-Length': '5' } }), 'does not have the body'],
    ['a body that was parsed', jsonCapture({ body: { a: 1 } }), 'the capture has the body parsed'],
    [
      'a body that broke in a fixture',
      JSON.stringify({
        request: { method: 'POST', target: '/', headers: [], body: { error: 'x' }, https: true },
        dns: {}
      }),
      'does not have the body'
    ]
  ])('%s is not sent', async (_, capture, says) => {
    const { code, stdout, stderr } = await again(capture)
    expect([code, stdout, received]).toEqual([64, '', []])
    expect(stderr).toMatch(/^signed-requests: [ -~]+\n$/)
    expect(stderr).toContain(says)
  })

  it('is tried on a receiver of this machine in one line', async () => {
    const file = join(folder, 'echo.mjs')
    const echo = "createServer((req, res) => res.end(req.method + req.url + req.headers['x-event']))"
    const free = await freePort()
    await writeFile(file, `import { createServer } from 'node:http'\n${echo}.listen(${free})`)
    const capture = await fileOf(rawHttp.write(captured))
    const finished = await send(`http://127.0.0.1:${free}`, '--request', capture, '--start', file)
    expect(finished.stdout).toContain('  PUT/in/a%2Fb/../c?id=1&x=%20paid\n')
    expect(unwrapped(finished)).toMatch(
      /no proof: .* sets a resolver of its own, which --start does not replace: take that/
    )
    expect(finished.code).toBe(2)
  })
})

function jsonCapture(parts: object): string {
  return JSON.stringify({ method: 'POST', url: '/', headers: {}, ...parts })
}

async function fileOf(capture: Uint8Array): Promise<string> {
  const file = join(folder, 'capture')
  await writeFile(file, capture)
  return file
}

describe('--print sends nothing, and what it prints', () => {
  const print = (form: string, url: string, ...flags: string[]) => send(url, '--print', form, ...flags)
  it.each([
    ['http', '{"id":1}'],
    ['http', 'a\nb\n'],
    ['http', ''],
    ['curl', "it's\n\\"]
  ])('as %s is a capture that explain reads: %j', async (form, data) => {
    const flags = ['--data', data, '--host', 'receiver.example']
    const { code, stdout, stderr } = await print(form, 'https://localhost:9/hook?a=[1]', ...flags)
    const receiver = '--domain service.example --host receiver.example --account 1234'.split(' ')
    const explained = await runInside(['explain', ...receiver, '--key-record', stderr], stdout)
    expect([code, explained.stdout]).toEqual([0, expect.stringMatching(/^verified: /)])
  })

  it('says what cannot be printed, and prints a forgery beside what it is', async () => {
    const url = 'http://localhost:9/'
    expect(await print('http', url, '--data', 'caf\u00e9')).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining('--print curl writes base64')
    })
    const header = ['--header', 'X-A: \u00e9']
    expect((await print('curl', url, ...header)).stderr).toContain('the head of this request is not ASCII')
    const { stdout, stderr } = await print('http', url, '--tamper', 'host')
    expect([stdout, stderr]).toEqual([
      expect.stringContaining('\nHost: forged.example\n'),
      expect.stringContaining('tampered after signing: the Host')
    ])
    const head = await print('curl', 'https://localhost:9/', '--method', 'head', '--allow-self-signed')
    expect(head.stdout).toMatch(
      /^curl --head \\\n {2}--insecure \\\n {2}--globoff --path-as-is 'https:\/\/localhost:9\/'/
    )
  })

  it.each([
    [['--print', 'http', '--serve-dns', '127.0.0.1:0'], '--print sends nothing: leave'],
    [['--print', 'http', '--repeat', '2'], '--print sends nothing: leave'],
    [['--print', 'json'], '--print must be one of http, curl'],
    [['--entry', '1'], '--entry needs --request'],
    [['--request', '-', '--data', '@-'], 'both read standard input']
  ])('%j is a mistake', async (flags, says) => {
    const { code, stderr } = await send('http://localhost:9/', ...flags)
    expect([code, stderr]).toEqual([64, expect.stringContaining(says)])
  })
})
