import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { inspect, promisify } from 'node:util'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { completeEntry } from '../../cli/captures/capture.ts'
import { readCapture } from '../../cli/captures/read-capture.ts'
import { launchBrowser } from '../../gateway/test/support/browser.ts'
import {
  createVerifier,
  type FromNodeOptions,
  fromFetchRequest,
  fromNodeRequest,
  nodeHandler,
  type ReceivedRequest
} from '../../src/index.ts'
import { CLI } from '../support/cli.ts'
import { makeCertificate } from '../support/https.ts'
import { listen } from '../support/listen.ts'
import { findNginx, freePorts, startNginx } from '../support/nginx.ts'
import { apacheWith, haproxyWith } from '../support/proxies.ts'
import { runInside } from '../support/run-cli.ts'
import { startProgram } from '../support/run-program.ts'
import { linesOf, service } from '../support/service.ts'
import { expectDiagnosis, REAL, type Situation, sign, simulate, situations } from '../support/situations.ts'
import { until } from '../support/until.ts'
import { verifyWith } from '../support/verdicts.ts'
import { send, wire } from '../support/wire.ts'

const HOST = 'receiver.example'

type Table = typeof REAL
/** Names a situation of the table that the unit test simulates. */
type Name = { [Code in keyof Table]: keyof Table[Code] }[keyof Table]
type Configurations = Readonly<Partial<Record<Name, string>>>

// ---- the receiver behind the proxies

/** Turns the application's view of a request into a ReceivedRequest. */
type Receive = (judge: (request: ReceivedRequest) => void) => RequestListener | Promise<RequestListener>

/** Makes an application that does everything right, except for its own change. */
const rightly =
  (options: FromNodeOptions = { https: true }, own: (req: IncomingMessage) => object = () => ({})): Receive =>
  judge =>
  async (req, res) => {
    judge({ ...fromNodeRequest(req, options), ...own(req), body: await buffer(req) })
    res.end()
  }

let listener: RequestListener = () => {}
const receiver = createServer((req, res) => listener(req, res))
/** of the receiver */
let port: number

// ---- the servers in front: the configuration that makes each situation; APP is the address of the receiver

const KEEP_HOST = 'proxy_set_header Host $http_host;'
const PASS_ON = `proxy_pass http://APP; ${KEEP_HOST}`
const SAY_PROTO = 'proxy_set_header X-Forwarded-Proto $scheme;'

const NGINX: Configurations = {
  'a proxy strips a prefix': `proxy_pass http://APP/; ${KEEP_HOST}`,
  'a proxy strips a prefix without its slash': `proxy_pass http://APP/; ${KEEP_HOST}`,
  'slashes are merged': `proxy_pass http://APP/; ${KEEP_HOST}`,
  'the query is dropped': `proxy_pass http://APP$uri; ${KEEP_HOST}`,
  'Host is the address of the upstream': 'proxy_pass http://APP;',
  'a proxy adds a port to Host': 'proxy_pass http://APP; proxy_set_header Host $host:$server_port;',
  '$host has no port': 'proxy_pass http://APP; proxy_set_header Host $host;',
  '$host has no port, which is configured': 'proxy_pass http://APP; proxy_set_header Host $host;',
  '$host is in lower case': 'proxy_pass http://APP; proxy_set_header Host $host;',
  'a rewrite, and the original in a header': `${PASS_ON} proxy_set_header X-Original-URI $request_uri; rewrite ^ /index.php break;`,
  'Content-Type gets a charset': `${PASS_ON} proxy_set_header Content-Type "$http_content_type; charset=utf-8";`,
  'a proxy drops Date': `${PASS_ON} proxy_set_header Date "";`,
  'a proxy drops Digest': `${PASS_ON} proxy_set_header Digest "";`,
  'a proxy drops Signature': `${PASS_ON} proxy_set_header Signature "";`,
  'a proxy drops the body': `${PASS_ON} proxy_pass_request_body off; proxy_set_header Content-Length "";`,
  'a proxy drops a name with an underscore': PASS_ON
}

/** The location of a server, where that is not `/`. */
const PATHS: Configurations = {
  'a proxy strips a prefix': '/hooks/',
  'a proxy strips a prefix without its slash': '/hooks'
}

/** Several tests use these servers of nginx. */
const NGINX_FOR_CURL = {
  'says http': `${PASS_ON} ${SAY_PROTO}`,
  redirects: `absolute_redirect off; if ($uri = /hook) { return 301 /hook/?$args; } ${PASS_ON}`,
  logs: `${PASS_ON} access_log LOG;`,
  'ends TLS': PASS_ON,
  'ends TLS and says so': `${PASS_ON} ${SAY_PROTO}`,
  'ends TLS in front of Caddy': `proxy_pass http://CADDY; ${KEEP_HOST} ${SAY_PROTO}`
}

const CADDY: Configurations = {
  'a proxy strips a prefix': 'handle_path /hooks/* {\n reverse_proxy APP\n}',
  'Host is in X-Forwarded-Host': 'reverse_proxy APP {\n header_up Host {upstream_hostport}\n}',
  'a proxy puts something in front': 'rewrite * /api{uri}\n reverse_proxy APP',
  'a slash is removed at the end': 'uri strip_suffix /\n reverse_proxy APP'
}

const HAPROXY: Configurations = {
  'the query is dropped': 'http-request set-uri %[path]',
  'escapes in the other case': 'http-request normalize-uri percent-to-uppercase',
  'slashes are merged': 'http-request normalize-uri path-merge-slashes',
  'Host is the address of the upstream': 'http-request set-header Host 127.0.0.1:3000',
  'a proxy strips a prefix': 'http-request replace-path /hooks(/.*) \\1',
  'a list is joined otherwise': 'http-request replace-header X-Nonce (.*),(.*) "\\1,\\ \\2"',
  'the method is changed': 'http-request set-method PUT'
}

const APACHE: Configurations = {
  'Host is in X-Forwarded-Host': 'ProxyPass / http://APP/ nocanon',
  'escapes in the other case': 'ProxyPreserveHost On\nProxyPass / http://APP/',
  'a proxy strips a prefix without its slash': 'ProxyPreserveHost On\nProxyPass /hooks http://APP/ nocanon',
  'the body is inflated, with its length': `ProxyPreserveHost On\nSetInputFilter DEFLATE\nProxyPass / http://APP/ nocanon`,
  'an escaped tilde is decoded': 'ProxyPreserveHost On\nRewriteEngine On\nRewriteRule ^/(.*)$ http://APP/$1 [P]'
}

const folder = mkdtempSync(join(tmpdir(), 'situations-'))
const log = join(folder, 'access.log')

/** `nginx: a proxy strips a prefix` */
const ports = new Map<string, number>()
const portOf = (proxy: string, name: string): number => ports.get(`${proxy}: ${name}`)!
const stops: (() => unknown)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
  receiver.close()
  rmSync(folder, { recursive: true })
})

/** Starts a program that listens on a free port for each configuration. */
async function startFor(
  proxy: string,
  [program, ...args]: readonly [string, ...string[]],
  configurations: Readonly<Record<string, string>>,
  write: (port: number, configuration: string) => string,
  files: (written: string) => Readonly<Record<string, string>>
): Promise<void> {
  const free = await freePorts(Object.keys(configurations).length)
  const written = Object.entries(configurations).map(([name, configuration], i) => {
    ports.set(`${proxy}: ${name}`, free[i]!)
    return write(free[i]!, configuration.replaceAll('APP', `127.0.0.1:${port}`))
  })
  stops.push((await startProgram(program, args, files(written.join('\n')), free[0]!)).stop)
}

async function startNginxInFront(): Promise<void> {
  const nginx = findNginx()
  if (nginx === undefined) throw new Error('there is no nginx: apt-get install nginx')
  const address = { APP: `127.0.0.1:${port}`, CADDY: `127.0.0.1:${portOf('Caddy', 'plain')}`, LOG: log }
  const servers = Object.entries({ ...NGINX, ...NGINX_FOR_CURL }).map(([name, location]) => [
    name,
    {
      tls: name.startsWith('ends TLS'),
      path: PATHS[name as Name] ?? '/',
      location: location.replace(/APP|CADDY|LOG/g, word => address[word as keyof typeof address])
    }
  ])
  const running = await startNginx(nginx, await makeCertificate(HOST), Object.fromEntries(servers))
  stops.push(running.stop)
  for (const [name, port] of Object.entries(running.ports)) ports.set(`nginx: ${name}`, port as number)
}

beforeAll(async () => {
  port = await listen(receiver)
  await startFor(
    'Caddy',
    ['caddy', 'run', '--config', 'Caddyfile', '--adapter', 'caddyfile'],
    { ...CADDY, plain: 'reverse_proxy APP' },
    (port, site) => `http://:${port} {\n bind 127.0.0.1\n ${site}\n}`,
    sites => ({ Caddyfile: `{\n admin off\n}\n${sites}\n` })
  )
  await startNginxInFront()
  await startFor(
    'HAProxy',
    ['haproxy', '-f', 'haproxy.cfg', '-db'],
    HAPROXY,
    (port, rule) => `frontend f${port}\n  bind 127.0.0.1:${port}\n  ${rule}\n  default_backend receiver`,
    frontends => ({
      'haproxy.cfg': haproxyWith(`${frontends}\nbackend receiver\n  server one 127.0.0.1:${port}`)
    })
  )
  await startFor(
    'Apache',
    ['apache2', '-d', '.', '-f', 'apache.conf', '-DFOREGROUND'],
    APACHE,
    (port, host) => `Listen 127.0.0.1:${port}\n<VirtualHost 127.0.0.1:${port}>\n${host}\n</VirtualHost>`,
    hosts => ({ 'apache.conf': apacheWith(['filter', 'deflate', 'rewrite'], hosts) })
  )
})

/** Sends it with curl. Resolves to the output of curl -v. */
async function curl(request: ReceivedRequest, origin: string): Promise<string> {
  const data = ['--data-binary', Buffer.from(request.body as Uint8Array).toString()]
  const lines = linesForCurl(request).flatMap(line => ['-H', line.join(': ')])
  const args = ['-vskL', '--path-as-is', ...data, origin + request.target, ...lines]
  return (await promisify(execFile)('curl', args)).stderr
}

/** curl writes Content-Length itself: a given header would be sent again behind a redirect. */
const linesForCurl = (request: ReceivedRequest) => linesOf(request).filter(([name]) => name !== 'Content-Length')

/** Runs a program on this input; returns its output. */
function execInput(program: string, args: readonly string[], input: Uint8Array) {
  const running = promisify(execFile)(program, args)
  running.child.stdin?.end(input)
  return running
}

/** Returns one request as the application behind received it. */
async function receiving(application: Receive, sending: () => Promise<unknown>): Promise<ReceivedRequest> {
  let received: ReceivedRequest | undefined
  listener = await application(request => {
    received = request
  })
  const answer = await sending()
  if (received === undefined) throw new Error(`nothing arrived: ${answer}`)
  return received
}

const SITUATIONS = situations(REAL)
const made = new Set<string>()

/** Tests that the request arrives as the unit test simulates it, and gets the same diagnosis. */
function testArrival(
  server: string,
  situation: Situation,
  arrive: (request: ReceivedRequest) => Promise<ReceivedRequest>
): void {
  made.add(situation.name)
  test(`${server}: ${situation.name}`, async () => {
    const [way] = situation.row
    const received = await arrive(sign(way.sign))
    const { method, target, body, https } = simulate(way)
    expect(received).toMatchObject({ method, target, https })
    expect(String(received.body)).toBe(String(Buffer.from(body as string)))
    expectDiagnosis(await verifyWith(way.options ?? {}, received), situation)
  })
}

const named = (name: string): Situation => SITUATIONS.find(situation => situation.name === name)!

for (const [proxy, configurations] of Object.entries({ nginx: NGINX, Caddy: CADDY, HAProxy: HAPROXY, Apache: APACHE }))
  for (const name of Object.keys(configurations))
    testArrival(proxy, named(name), request => receiving(rightly(), () => send(portOf(proxy, name), request)))

/** This application trusts X-Forwarded-Proto. */
const TRUSTING = situations({
  'not-https': {
    'says http': [{ https: false }, /the sender used http, or a proxy in front of yours ends TLS/],
    'ends TLS': [
      { https: false },
      /your proxy does not send X-Forwarded-Proto/,
      /nginx: proxy_set_header X-Forwarded-Proto \$scheme/
    ],
    'ends TLS in front of Caddy': [{ https: false }, /a proxy in front of yours ends TLS/, /the inner one keep it/]
  }
})

const BY_CURL: readonly (readonly [server: string, FromNodeOptions, Situation])[] = [
  ['ends TLS', {}, named('TLS ends at a proxy')],
  ['ends TLS and says so', {}, named('TLS ends at a proxy that says so')],
  ['redirects', { https: true }, named('a redirect that is followed without the body')],
  ...TRUSTING.map(one => [one.name, { https: 'x-forwarded-proto' }, one] as const)
]
for (const [server, options, situation] of BY_CURL) {
  const protocol = server.startsWith('ends TLS') ? 'https' : 'http'
  testArrival(`curl and nginx that ${server}`, situation, request =>
    receiving(rightly(options), () => curl(request, `${protocol}://127.0.0.1:${portOf('nginx', server)}`))
  )
}

const inExpress =
  (middleware: express.RequestHandler, bodyOf: (body: unknown) => string | Buffer): Receive =>
  judge =>
    express()
      .use(middleware)
      .use((req, res) => {
        judge(fromNodeRequest(req, { https: true, body: Buffer.from(bodyOf(req.body)) }))
        res.end()
      })

const inFastify: Receive = judge => {
  const app = fastify()
  app.post('/hook', async ({ body, raw }) =>
    judge(fromNodeRequest(raw, { https: true, body: Buffer.from(JSON.stringify(body)) }))
  )
  return new Promise(resolve => app.ready(() => resolve((req, res) => app.routing(req, res))))
}

const inKoa: Receive = judge =>
  new Koa()
    .use(async ctx => {
      judge({ ...fromNodeRequest(ctx.req, { https: true }), target: ctx.path, body: await buffer(ctx.req) })
      ctx.body = ''
    })
    .callback()

const inFetch = (own: (request: Request) => object): Receive =>
  rightly({}, ({ headers, url }) => {
    const request = new Request(`https://${headers.host}${url}`, { method: 'POST', headers: headers as never })
    return { ...fromFetchRequest(request), ...own(request) }
  })

const FRAMEWORKS: readonly [framework: string, Name, Receive][] = [
  ['Express', 'JSON.stringify(req.body)', inExpress(express.json(), JSON.stringify)],
  ['Express', 'a parser inflates gzip', inExpress(express.raw({ type: '*/*' }), body => body as Buffer)],
  ['Fastify', 'JSON.stringify without 1.0', inFastify],
  ['Koa', 'the query is dropped', inKoa],
  ['Fetch', 'request.url of Fetch', inFetch(({ url }) => ({ target: url }))],
  ['Fetch', 'an apostrophe is escaped', inFetch(() => ({}))]
]
for (const [framework, name, application] of FRAMEWORKS)
  testArrival(framework, named(name), request => receiving(application, () => send(port, request)))

/**
 * These applications print their view of a request, as JSON for `explain`; X-Case selects what they take as the body.
 */
const PHP = `<?php
$raw = file_get_contents('php://input');
$case = getallheaders()['X-Case'];
$bodies = ['json' => json_encode(json_decode($raw)), 'array' => json_encode(json_decode($raw, true)), 'form' => http_build_query($_POST)];
$url = $case === 'self' ? $_SERVER['PHP_SELF'] : $_SERVER['REQUEST_URI'];
header('Content-Type: application/json');
echo json_encode(['method' => 'POST', 'url' => $url, 'headers' => getallheaders(), 'body' => $bodies[$case] ?? $raw]);
`

const PYTHON = `
import json
def application(environ, start_response):
    raw = environ['wsgi.input'].read()
    case = environ['HTTP_X_CASE']
    body = json.dumps(json.loads(raw)) if case == 'json' else raw.decode('latin-1' if case == 'latin1' else 'utf-8')
    headers = {name[5:].replace('_', '-'): value for name, value in environ.items() if name.startswith('HTTP_')}
    headers.update({'Content-Type': environ['CONTENT_TYPE'], 'Content-Length': environ['CONTENT_LENGTH']})
    query = environ['QUERY_STRING']
    url = environ['PATH_INFO'] + ('?' + query if query else '')
    start_response('200 OK', [('Content-Type', 'application/json')])
    return [json.dumps({'method': 'POST', 'url': url, 'headers': headers, 'body': body}).encode()]
`

const RUBY = `
require 'json'
run lambda { |env|
  raw = env['rack.input'].read
  body = env['HTTP_X_CASE'] == 'json' ? JSON.pretty_generate(JSON.parse(raw)) : raw
  headers = env.select { |name, _| name.start_with?('HTTP_') }.to_h { |name, value| [name[5..].tr('_', '-'), value] }
  headers.update('Content-Type' => env['CONTENT_TYPE'], 'Content-Length' => env['CONTENT_LENGTH'])
  export = { method: 'POST', url: env['REQUEST_URI'], headers: headers, body: body }
  [200, { 'content-type' => 'application/json' }, [JSON.generate(export)]]
}
`

const GUNICORN = ['gunicorn', '-b', '127.0.0.1:PORT', '--no-sendfile', 'app:application'] as const
const LANGUAGES = {
  PHP: [['php', '-S', '127.0.0.1:PORT', 'hook.php'], { 'hook.php': PHP }],
  Python: [GUNICORN, { 'app.py': PYTHON }],
  'Python below /hooks': [[...GUNICORN, '-e', 'SCRIPT_NAME=/hooks'], { 'app.py': PYTHON }],
  Ruby: [['puma', '-b', 'tcp://127.0.0.1:PORT', 'config.ru'], { 'config.ru': RUBY }]
} as const

/** Maps X-Case to each application's view of a request. */
const IN_LANGUAGES: readonly [keyof typeof LANGUAGES, has: string, Name][] = [
  ['PHP', 'json', 'json_encode(json_decode($raw))'],
  ['PHP', 'array', 'json_encode(json_decode($raw, true))'],
  ['PHP', 'form', 'http_build_query($_POST)'],
  ['PHP', 'self', 'an escaped space is decoded'],
  ['Python', 'json', 'json.dumps(json.loads(raw))'],
  ['Python', 'latin1', 'text read as Latin-1'],
  ['Python', 'raw', 'PATH_INFO of WSGI'],
  ['Python below /hooks', 'raw', 'a proxy strips a prefix'],
  ['Ruby', 'json', 'JSON.pretty_generate(JSON.parse(raw))']
]

describe('an application in another language', () => {
  beforeAll(async () => {
    const free = await freePorts(Object.keys(LANGUAGES).length)
    for (const [i, [language, [command, files]]] of Object.entries(LANGUAGES).entries()) {
      const [program, ...args] = command.map(word => word.replace('PORT', `${free[i]}`))
      ports.set(language, free[i]!)
      stops.push((await startProgram(program!, args, files, free[i]!)).stop)
    }
  })

  for (const [language, has, name] of IN_LANGUAGES)
    testArrival(language, named(name), async request => {
      const answer = await send(ports.get(language)!, request, [['X-Case', has]])
      return readCapture(Buffer.from(/\{.*\}/s.exec(answer)?.[0] ?? answer)).map(completeEntry)[0]!.request
    })
})

test('each situation of the table is one that a server makes', () =>
  expect(SITUATIONS.map(({ name }) => name).filter(name => !made.has(name))).toEqual([]))

const [RECORD = ''] = Object.values(service.records).map(([record]) => record!.join(''))
const FLAGS = ['--domain', 'service.example', '--host', HOST, '--account', '1234', '--key-record', RECORD]

describe('a clock that is ten minutes fast', () => {
  const atTenPast = async (args: readonly string[], input: Uint8Array = Buffer.alloc(0)): Promise<string> => {
    const all = ['-f', '+10m', process.execPath, CLI, ...args]
    const output = await execInput('faketime', all, input).catch(error => error)
    return output.stdout.replace(/\s+/g, ' ')
  }

  test('explain names both possibilities with both times', async () => {
    const said = await atTenPast(['explain', ...FLAGS], wire(sign()))
    expect(said).toMatch(/^rejected: date /)
    const cause = /likely cause: the capture is 10 minutes old, or this machine's clock \((.*) GMT\) is fast/
    expect(Date.parse(cause.exec(said)?.[1] ?? '')).toBeGreaterThan(Date.now() + 500_000)
    expect(said).toContain('date -u')
  })

  test('send names it before the key, with both times', async () => {
    const verify = createVerifier({ ...service.options, hosts: `127.0.0.1:${port}` })
    listener = nodeHandler(verify, () => {}, { https: true })
    const said = await atTenPast(['send', `http://127.0.0.1:${port}/hook`, '--serve-dns', '127.0.0.1:0'])
    expect(said).toMatch(/clock \(.* GMT\) is 10 minutes ahead of the receiver's \(.* GMT\), so it refused the Date/)
    expect(said).not.toContain('lookupTxt')
  })
})

test.each(['{"id":1}', "it's", 'caf\u00e9\r\n\0', 'x'.repeat(200_000)])(
  'what send prints for curl is sent as it was signed: %#',
  async data => {
    const url = `http://127.0.0.1:${port}/a/../b?c={d,e}[1]`
    const args = ['send', url, '--host', HOST, '--header', "X-A: it's", '--print', 'curl', '--data', data]
    const { stdout, stderr } = await runInside(args)
    const received = await receiving(rightly(), () => execInput('sh', ['-s'], Buffer.from(stdout)))
    const record = /"[^)]*"/.exec(stderr)![0].replaceAll(/"|\n */g, '')
    const verify = createVerifier({ ...service.options, lookupTxt: async () => [[record]] })
    const verdict = await verify(received)
    expect(verdict.failures).toEqual([])
    // A diff of long data would take minutes.
    expect(verdict.status === 'verified' && Buffer.from(verdict.body).equals(Buffer.from(data))).toBe(true)
  }
)

describe('what explain reads', () => {
  const explain = async (file: string, ...flags: string[]) => {
    const { stdout, stderr } = await runInside(['explain', ...FLAGS, ...flags], file)
    return (stderr + stdout).replace(/\n {8,24}/g, ' ')
  }
  const signed = sign({ target: '/hooks/in' })
  const dump = wire(signed)

  test('the dump of curl -v, which has no body', async () => {
    listener = (_, res) => res.end()
    const said = await curl(signed, `http://127.0.0.1:${port}`)
    expect(await explain(said)).toMatch(/^unavailable: the body is not in the capture; everything else passed$/m)
  })

  test('a curl command, as a shell and curl take it', async () => {
    const quoted = linesForCurl(signed)
      .map(line => `-H '${line.join(': ')}' \\\n`)
      .join(' ')
    const command = `curl 'http://127.0.0.1:${port}/hook?a=b%20c' ${quoted} --data-raw $'{"it\\'s":"\\u00e9\\n","\\x41":"é"}'`
    const received = await receiving(rightly(), () =>
      promisify(execFile)('bash', ['-c', command], { env: { ...process.env, LC_ALL: 'C.UTF-8' } })
    )
    const { request } = completeEntry(readCapture(Buffer.from(command))[0]!)
    expect(request).toMatchObject({ method: 'POST', target: received.target, body: received.body })
    for (const line of request.headers) expect(linesOf(received)).toContainEqual(line)
  })

  test('what JSON.stringify prints in an Express application that parsed the body', async () => {
    let printed = ''
    listener = express()
      .use(express.json())
      .use(({ method, url, headers, body }, res) => {
        printed = JSON.stringify({ method, url, headers, body })
        res.end()
      })
    await send(port, sign({ body: '{"a": 1, "b": [1, 2]}' }))
    expect(await explain(printed)).toMatch(/note: .*these are the bytes that were signed.*^verified: /ms)
    await send(port, sign({ body: '{"a":1.0}' }))
    expect(await explain(printed)).toMatch(/has only the parsed body, not its bytes as sent/)
  })

  test.each([
    ['xxd', []],
    ['hexdump', ['-C']],
    ['hexdump', []],
    ['od', ['-tx1']]
  ])('%s %j is a hex dump', async (program, args) => {
    const { stdout } = await execInput(program, args, dump)
    expect(await explain(stdout)).toContain('this is a hex dump')
  })

  /** Captures one request on loopback with tcpdump, as a file for `tcpdump -r`; undefined where it may not capture. */
  async function capturePackets(request: ReceivedRequest): Promise<Buffer | undefined> {
    const filter = ['-i', 'lo', '-U', '--immediate-mode', '-w', '-', `tcp port ${port}`]
    const tcpdump = spawn('tcpdump', filter, { env: { PATH: `${process.env['PATH']}:/usr/sbin` } })
    const chunks: Buffer[] = []
    let said = ''
    tcpdump.stdout.on('data', chunk => chunks.push(chunk))
    tcpdump.stderr.on('data', chunk => {
      said += chunk
    })
    const ended = once(tcpdump, 'close').catch(() => {})
    try {
      await until(() => /listening on/.test(said) || tcpdump.exitCode !== null)
      if (tcpdump.exitCode !== null) return undefined
      listener = (req, res) => req.resume().on('end', () => res.end('received'))
      await send(port, request)
      await until(() => Buffer.concat(chunks).includes('received'))
    } finally {
      tcpdump.kill()
      await ended
    }
    return Buffer.concat(chunks)
  }

  test('what tcpdump prints with -A; with -X it is a hex dump', async ({ skip }) => {
    const packets = await capturePackets(signed)
    if (packets === undefined) return skip('tcpdump may not capture here: it needs CAP_NET_RAW')
    const print = async (file: Buffer, ...options: string[]) =>
      (await execInput('tcpdump', ['-r', '-', ...options], file)).stdout
    for (const more of [[], ['-n'], ['-v'], ['-vv', '-tttt']])
      expect(await explain(await print(packets, '-A', ...more))).toMatch(/^verified: /m)
    for (const option of ['-X', '-x', '-XX'])
      expect(await explain(await print(packets, option))).toContain('this is a hex dump')
    const changed = Buffer.from(packets.toString('latin1').replace('"price":10', '"price":11'), 'latin1')
    expect(await explain(await print(changed, '-A'))).toMatch(/^unavailable: the body is not in the capture/m)
  })

  test('the HAR of Chromium, as of its own time', async () => {
    listener = (_, res) => res.end()
    const host = `127.0.0.1:${portOf('nginx', 'ends TLS')}`
    // A page may not set Date, but RFC 9421 does not need it.
    const covered = ['@method', '@authority', '@target-uri', 'x-service-id', 'content-digest']
    const { method, target, headers, body } = sign({ scheme: 'rfc9421', host, covered })
    const init = JSON.stringify({ method, headers, body: new TextDecoder().decode(body!) })
    const har = join(folder, 'requests.har')
    const browser = await launchBrowser()
    try {
      const context = await browser.newContext({ ignoreHTTPSErrors: true, recordHar: { path: har } })
      const page = await context.newPage()
      await page.goto(`https://${host}/`)
      await page.evaluate(`fetch('${target}', ${init})`)
      await context.close()
    } finally {
      await browser.close()
    }
    const said = await explain(readFileSync(har, 'utf8'), '--scheme', 'rfc9421', '--host', host)
    expect(said).toMatch(/as of the capture's own time, .*^verified: /ms)
  })

  test('what console.log prints of a request is not one', async () => {
    const printed: string[] = []
    listener = (req, res) => {
      const { method, url, headers } = req
      printed.push(inspect(req), inspect({ method, url, headers }))
      res.end()
    }
    await send(port, signed)
    listener = new Koa()
      .use(async ctx => {
        printed.push(inspect(ctx.request))
        ctx.body = ''
      })
      .callback()
    await send(port, signed)
    for (const text of printed) expect(await explain(text)).toMatch(/console\.log.*JSON\.stringify/)
  })

  test('the access log of nginx has no headers', async () => {
    listener = (_, res) => res.end()
    await send(portOf('nginx', 'logs'), signed)
    await until(() => readFileSync(log, 'utf8').endsWith('\n')) // nginx writes it after the response
    expect(await explain(readFileSync(log, 'utf8'))).toContain('this is an access log, which has no headers')
  })
})
