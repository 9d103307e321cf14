import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { launchBrowser } from '../../gateway/test/support/browser.ts'
import { readCapture } from '../../src/cli/captures/read-capture.ts'
import {
  createVerifier,
  type DiagnosedFailure,
  diagnose,
  type FromNodeOptions,
  fromFetchRequest,
  fromNodeRequest,
  nodeHandler,
  type ReceivedRequest
} from '../../src/index.ts'
import type { SignRequest } from '../../src/testing/index.ts'
import { CLI } from '../support/cli.ts'
import { makeCertificate } from '../support/https.ts'
import { listen } from '../support/listen.ts'
import { findNginx, freePorts, startNginx } from '../support/nginx.ts'
import { startProgram } from '../support/proxies.ts'
import { runInside } from '../support/run-cli.ts'
import { service } from '../support/service.ts'

const HOST = 'receiver.example'
const sign = (request: SignRequest = {}): ReceivedRequest =>
  service.sign({ method: 'POST', target: '/hook?id=42', body: '{"price":10}', ...request })

// ---- the receiver behind the proxies

/** What the application makes of a request. */
type Receive = (judge: (request: ReceivedRequest) => void) => RequestListener | Promise<RequestListener>

const bytes = async (req: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** An application that does everything right. */
const rightly =
  (options: FromNodeOptions = { https: true }): Receive =>
  judge =>
  async (req, res) => {
    judge({ ...fromNodeRequest(req, options), body: await bytes(req) })
    res.end()
  }

let listener: RequestListener = () => {}
const receiver = createServer((req, res) => listener(req, res))

// ---- the servers in front

/** Each proxy's configurations by name; APP is the address of the receiver. */
const NGINX = {
  'strips a prefix': ['/hooks/', 'proxy_pass http://APP/;'],
  'strips a prefix without its slash': ['/hooks', 'proxy_pass http://APP/;'],
  'replaces Host': ['/', 'proxy_pass http://APP;', ''],
  'adds the port': ['/', 'proxy_pass http://APP;', '$host:$server_port'],
  'leaves out the port': ['/', 'proxy_pass http://APP;', '$host'],
  normalizes: ['/', 'proxy_pass http://APP/;'],
  'drops the query': ['/', 'proxy_pass http://APP$uri;'],
  'rewrites to a script': [
    '/',
    'rewrite ^ /index.php break; proxy_pass http://APP; proxy_set_header X-Original-URI $request_uri;'
  ],
  'adds a charset': ['/', 'proxy_pass http://APP; proxy_set_header Content-Type "$http_content_type; charset=utf-8";'],
  'drops Date': ['/', 'proxy_pass http://APP; proxy_set_header Date "";'],
  'drops Digest': ['/', 'proxy_pass http://APP; proxy_set_header Digest "";'],
  'drops Signature': ['/', 'proxy_pass http://APP; proxy_set_header Signature "";'],
  'drops the body': ['/', 'proxy_pass http://APP; proxy_pass_request_body off; proxy_set_header Content-Length "";'],
  plain: ['/', 'proxy_pass http://APP;'],
  'says http': ['/', 'proxy_pass http://APP; proxy_set_header X-Forwarded-Proto $scheme;'],
  redirects: ['/', 'absolute_redirect off; if ($uri = /hook) { return 301 /hook/?$args; } proxy_pass http://APP;'],
  logs: ['/', 'proxy_pass http://APP; access_log LOG;'],
  'ends TLS': ['/', 'proxy_pass http://APP;'],
  'ends TLS and says so': ['/', 'proxy_pass http://APP; proxy_set_header X-Forwarded-Proto $scheme;'],
  'ends TLS in front of Caddy': ['/', 'proxy_pass http://CADDY; proxy_set_header X-Forwarded-Proto $scheme;']
} as const

const CADDY = {
  plain: 'reverse_proxy APP',
  'strips a prefix': 'handle_path /hooks/* {\n reverse_proxy APP\n}',
  'replaces Host': 'reverse_proxy APP {\n header_up Host {upstream_hostport}\n}',
  'rewrites the path': 'rewrite * /in{uri}\n reverse_proxy APP',
  'strips a slash': 'uri strip_suffix /\n reverse_proxy APP'
} as const

const HAPROXY = {
  'drops the query': 'http-request set-uri %[path]',
  'writes escapes in upper case': 'http-request normalize-uri percent-to-uppercase',
  'merges slashes': 'http-request normalize-uri path-merge-slashes',
  'replaces Host': 'http-request set-header Host app.internal',
  'strips a prefix': 'http-request replace-path /webhooks(/.*) \\1',
  'splits a list': 'http-request replace-header X-Nonce (.*),(.*) "\\1,\\ \\2"',
  'changes the method': 'http-request set-method PUT'
} as const

const APACHE = {
  'replaces Host': 'ProxyPass / http://APP/ nocanon',
  canonicalizes: 'ProxyPreserveHost On\nProxyPass / http://APP/',
  'strips a prefix without its slash': 'ProxyPreserveHost On\nProxyPass /hooks http://APP/ nocanon',
  inflates: 'ProxyPreserveHost On\nSetInputFilter DEFLATE\nProxyPass / http://APP/ nocanon',
  rewrites: 'ProxyPreserveHost On\nRewriteEngine On\nRewriteRule ^/(.*)$ http://APP/$1 [P]'
} as const

const folder = mkdtempSync(join(tmpdir(), 'situations-'))
const log = join(folder, 'access.log')

/** `nginx: strips a prefix` */
const ports = new Map<string, number>()
const stops: (() => unknown)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
  receiver.close()
  rmSync(folder, { recursive: true })
})

/** A free port for each configuration. */
async function portsFor(proxy: string, configurations: object): Promise<[name: string, port: number][]> {
  const names = Object.keys(configurations)
  const free = await freePorts(names.length)
  return names.map((name, i) => {
    ports.set(`${proxy}: ${name}`, free[i]!)
    return [name, free[i]!]
  })
}

beforeAll(async () => {
  const app = `127.0.0.1:${await listen(receiver)}`

  const sites = await portsFor('Caddy', CADDY)
  const site = ([name, port]: [string, number]) =>
    `http://:${port} {\n bind 127.0.0.1\n ${CADDY[name as keyof typeof CADDY].replaceAll('APP', app)}\n}\n`
  const caddyfile = `{\n admin off\n}\n${sites.map(site).join('')}`
  const caddyArguments = ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile']
  stops.push((await startProgram('caddy', caddyArguments, { Caddyfile: caddyfile }, sites[0]![1])).stop)

  const nginx = findNginx()
  if (nginx === undefined) throw new Error('there is no nginx: apt-get install nginx')
  const certificate = await makeCertificate(HOST)
  const caddy = `127.0.0.1:${ports.get('Caddy: plain')}`
  const servers = Object.entries(NGINX).map(([name, [path, location, host = '$http_host']]) => {
    const setHost = host === '' ? '' : `proxy_set_header Host ${host};`
    return [
      name,
      {
        tls: name.startsWith('ends TLS'),
        path,
        location: `${location.replace('APP', app).replace('CADDY', caddy).replace('LOG', log)} ${setHost}`
      }
    ] as const
  })
  const running = await startNginx(nginx, certificate, Object.fromEntries(servers))
  stops.push(running.stop)
  for (const [name, port] of Object.entries(running.ports)) ports.set(`nginx: ${name}`, port)

  const frontends = await portsFor('HAProxy', HAPROXY)
  const haproxy = `
global
  expose-experimental-directives
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  default_backend receiver
${frontends.map(([name, port]) => `frontend f${port}\n  bind 127.0.0.1:${port}\n  ${HAPROXY[name as keyof typeof HAPROXY]}`).join('\n')}
backend receiver
  server one ${app}
`
  const haproxyArguments = ['-f', 'haproxy.cfg', '-db']
  stops.push((await startProgram('haproxy', haproxyArguments, { 'haproxy.cfg': haproxy }, frontends[0]![1])).stop)

  const hosts = await portsFor('Apache', APACHE)
  const modules = ['mpm_event', 'authz_core', 'filter', 'deflate', 'rewrite', 'proxy', 'proxy_http']
  const apache = `
ServerRoot .
ServerName ${HOST}
PidFile apache.pid
DefaultRuntimeDir .
ErrorLog error.log
User nobody
Group nogroup
${modules.map(name => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
${hosts.map(([name, port]) => `Listen 127.0.0.1:${port}\n<VirtualHost 127.0.0.1:${port}>\n${APACHE[name as keyof typeof APACHE].replaceAll('APP', app)}\n</VirtualHost>`).join('\n')}
`
  const apacheArguments = ['-d', '.', '-f', 'apache.conf', '-DFOREGROUND']
  stops.push((await startProgram('apache2', apacheArguments, { 'apache.conf': apache }, hosts[0]![1])).stop)
})

const line = (target: string) => `(request-target): post ${target}`
const json = { 'Content-Type': 'application/json' }

/** Sends the bytes as they were signed. Resolves when the answer has ended. */
async function send({ method, target, headers, body }: ReceivedRequest, port: number): Promise<string> {
  const lines = [...(headers as Lines), ['Connection', 'close']]
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const socket = connect(port, '127.0.0.1')
  socket.write(Buffer.from(`${method} ${target} HTTP/1.1\r\n${head}\r\n`, 'latin1'))
  socket.write(body as Uint8Array)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}

type Lines = Iterable<readonly [string, string]>

/** Has curl send it. Resolves to what curl says with -v. */
async function curl({ target, headers, body }: ReceivedRequest, origin: string, ...more: string[]) {
  // curl writes Content-Length itself: given as a header, it would be sent again behind a redirect.
  const lines = [...(headers as Lines)].filter(([name]) => name !== 'Content-Length')
  const data = ['--data-binary', Buffer.from(body as Uint8Array).toString()]
  const args = ['-vsk', '--path-as-is', ...more, ...data, origin + target]
  for (const line of lines) args.push('-H', line.join(': '))
  return (await promisify(execFile)('curl', args)).stderr
}

/** What a program prints for this input. */
function execInput(program: string, args: readonly string[], input: Uint8Array) {
  const running = promisify(execFile)(program, args)
  running.child.stdin?.end(input)
  return running
}

type Code = DiagnosedFailure['code']

interface More {
  request?: SignRequest
  fix?: RegExp
  /** that was signed, and changed on the way */
  target?: string
  /** as it was signed */
  line?: string
}

const signOf = ({ request, target }: More) => sign({ ...request, ...(target !== undefined && { target }) })

interface Expected extends More {
  code: Code
  cause: RegExp
}

/** The first cause is the right one, and everything else follows from it. */
async function expectCause(received: ReceivedRequest, expected: Expected): Promise<void> {
  const verdict = await createVerifier(service.options)(received)
  const [first, ...others] = diagnose(verdict).failures
  expect(first).toMatchObject({ code: expected.code, cause: expect.stringMatching(expected.cause) })
  expect(first?.changed?.signed).toBe(expected.target === undefined ? expected.line : line(expected.target))
  if (expected.fix) expect(first?.fix).toMatch(expected.fix)
  expect(others.filter(({ followsFrom }) => followsFrom === undefined)).toEqual([])
}

/** What the application behind received of one request. */
async function receiving(application: Receive, sending: () => Promise<unknown>): Promise<ReceivedRequest> {
  let received: ReceivedRequest | undefined
  listener = await application(request => {
    received = request
  })
  const answer = await sending()
  if (received === undefined) throw new Error(`nothing arrived: ${answer}`)
  return received
}

describe('what a proxy does', () => {
  const proxied = (name: string, code: Code, cause: RegExp, more: More & { receive?: Receive } = {}) =>
    test(name, async () => {
      const { receive = rightly(), ...others } = more
      const received = await receiving(receive, () => send(signOf(more), ports.get(name)!))
      await expectCause(received, { code, cause, ...others })
    })

  proxied('nginx: strips a prefix', 'signature-mismatch', /took \/hooks off the path/, {
    fix: /prefix: '\/hooks'/,
    target: '/hooks/in?id=1'
  })
  proxied(
    'nginx: strips a prefix without its slash',
    'signature-mismatch',
    /took \/hooks off the path and added a slash/,
    { fix: /proxy_pass without a path/, target: '/hooks/in?id=1' }
  )
  proxied(
    'nginx: replaces Host',
    'host-mismatch',
    /replaced Host with the address that it forwards to \(127\.0\.0\.1:\d+\)/,
    { fix: /proxy_set_header Host \$http_host/ }
  )
  proxied('nginx: adds the port', 'host-mismatch', /the port differs/)
  proxied('nginx: leaves out the port', 'signature-mismatch', /changed the port in Host/, {
    request: { host: `${HOST}:8443` },
    fix: /\$host leaves the port out/,
    line: `host: ${HOST}:8443`
  })
  proxied('nginx: normalizes', 'signature-mismatch', /slashes were merged/, { target: '/hook//42' })
  proxied('nginx: drops the query', 'signature-mismatch', /key did make this/, { fix: /a query dropped/ })
  proxied('nginx: rewrites to a script', 'signature-mismatch', /x-original-uri has the one that was signed/, {
    line: line('/hook?id=42')
  })
  proxied('nginx: adds a charset', 'signature-mismatch', /Content-Type was rewritten/, {
    line: 'content-type: application/json'
  })
  proxied('nginx: drops Date', 'date-missing', /a proxy or CDN dropped it/)
  proxied('nginx: drops Digest', 'digest-missing', /a proxy dropped it/)
  proxied('nginx: drops Signature', 'signature-missing', /a proxy dropped it/)
  proxied('nginx: drops the body', 'coverage-absent', /removed Content-Length, which is signed: it dropped the body/)
  proxied('nginx: plain', 'coverage-absent', /many drop names with an underscore/, {
    request: {
      headers: { x_tenant: 'a' },
      covered: ['(request-target)', 'host', 'date', 'x-service-id', 'digest', 'x_tenant']
    },
    fix: /underscores_in_headers on/
  })
  proxied('nginx: says http', 'not-https', /the sender used http, or a proxy in front of yours ends TLS/, {
    receive: rightly({ https: 'x-forwarded-proto' })
  })
  proxied('Caddy: strips a prefix', 'signature-mismatch', /took \/hooks off the path/, { target: '/hooks/in' })
  proxied(
    'Caddy: replaces Host',
    'host-mismatch',
    /replaced Host with 127\.0\.0\.1:\d+: X-Forwarded-Host: receiver\.example is there/,
    { fix: /sets that header itself \(anyone can send it\), give the adapter host: 'x-forwarded-host'/ }
  )
  proxied('Caddy: rewrites the path', 'signature-mismatch', /put something in front of the path/, {
    line: line('/hook?id=42')
  })
  proxied('Caddy: strips a slash', 'signature-mismatch', /slashes were merged or removed/, { target: '/hook/' })
  proxied('HAProxy: drops the query', 'signature-mismatch', /key did make this/, { fix: /a query dropped/ })
  proxied('HAProxy: writes escapes in upper case', 'signature-mismatch', /decoded or encoded again/, {
    target: '/caf%c3%a9'
  })
  proxied('HAProxy: merges slashes', 'signature-mismatch', /slashes were merged/, { target: '/hook//42?id=1' })
  proxied('HAProxy: replaces Host', 'host-mismatch', /replaced Host with the address/)
  proxied('HAProxy: strips a prefix', 'signature-mismatch', /took \/webhooks off the path/, { target: '/webhooks/in' })
  proxied('HAProxy: splits a list', 'signature-mismatch', /joined, split or repeated/, {
    request: { headers: { 'X-Nonce': 'a,b' } },
    line: 'x-nonce: a,b'
  })
  proxied('HAProxy: changes the method', 'signature-mismatch', /method was changed/, { line: line('/hook?id=42') })
  proxied(
    'Apache: replaces Host',
    'host-mismatch',
    /replaced Host with .*: X-Forwarded-Host: receiver\.example is there/
  )
  proxied('Apache: canonicalizes', 'signature-mismatch', /decoded or encoded again/, { target: '/caf%c3%a9' })
  proxied(
    'Apache: strips a prefix without its slash',
    'signature-mismatch',
    /took \/hooks off the path and added a slash/,
    { target: '/hooks/in' }
  )
  proxied('Apache: inflates', 'signature-mismatch', /Content-Length was rewritten: something decoded, decompressed/, {
    request: { body: gzipSync(`{"a":"${'b'.repeat(200)}"}`), headers: { 'Content-Encoding': 'gzip', ...json } },
    line: 'content-length: 31'
  })
  proxied('Apache: rewrites', 'signature-mismatch', /decoded or encoded again/, { target: '/a%7Eb?id=42' })
})

describe('what curl sends', () => {
  const port = (name: string) => ports.get(`nginx: ${name}`)
  const signed = sign()

  test('over TLS, which ends at nginx', async () => {
    const send = () => curl(signed, `https://127.0.0.1:${port('ends TLS')}`)
    await expectCause(await receiving(rightly({}), send), {
      code: 'not-https',
      cause: /TLS ends at a proxy/,
      fix: /https: 'x-forwarded-proto'/
    })
    const sendSaid = () => curl(signed, `https://127.0.0.1:${port('ends TLS and says so')}`)
    await expectCause(await receiving(rightly({}), sendSaid), {
      code: 'not-https',
      cause: /X-Forwarded-Proto: https is there, and is not trusted/,
      fix: /anyone can send it\), give the adapter https: 'x-forwarded-proto'/
    })
    await expectCause(await receiving(rightly({ https: 'x-forwarded-proto' }), send), {
      code: 'not-https',
      cause: /your proxy sends no X-Forwarded-Proto/,
      fix: /proxy_set_header X-Forwarded-Proto \$scheme/
    })
  })

  test('through a proxy that ends TLS, and another that says http', async () => {
    const application = rightly({ https: 'x-forwarded-proto' })
    const send = () => curl(signed, `https://127.0.0.1:${port('ends TLS in front of Caddy')}`)
    await expectCause(await receiving(application, send), {
      code: 'not-https',
      cause: /a proxy in front of yours ends TLS/,
      fix: /the inner one keep it/
    })
  })

  test('again as GET, when it follows a redirect', async () => {
    const follow = () => curl(signed, `http://127.0.0.1:${port('redirects')}`, '-L')
    await expectCause(await receiving(rightly(), follow), {
      code: 'coverage-absent',
      cause: /a redirect turned POST into GET/,
      fix: /URL to which a redirect leads/
    })
  })
})

const inExpress =
  (middleware: express.RequestHandler, receive: (req: express.Request) => ReceivedRequest): Receive =>
  judge =>
    express()
      .use(middleware)
      .use((req, res) => {
        judge(receive(req))
        res.end()
      })

const parsed = (body: string | Buffer, req: IncomingMessage): ReceivedRequest =>
  fromNodeRequest(req, { https: true, body: Buffer.from(body) })

const flat = (req: IncomingMessage): Record<string, string> => req.headers as Record<string, string>

describe('what a framework makes of it', () => {
  const inFramework = (name: string, code: Code, cause: RegExp, more: More & { application: Receive }) =>
    test(name, async () => {
      const { application, ...others } = more
      const { port } = receiver.address() as AddressInfo
      const received = await receiving(application, () => send(signOf(more), port))
      await expectCause(received, { code, cause, ...others })
    })

  inFramework('Express: express.json(), then JSON.stringify', 'digest-mismatch', /a JSON parser read it/, {
    request: { body: '{"a": 1, "b": [1, 2]}' },
    application: inExpress(express.json(), req => parsed(JSON.stringify(req.body), req))
  })
  inFramework('Express: express.raw() inflates', 'digest-mismatch', /decompressed it .*gzip/, {
    request: { body: gzipSync(`{"a":"${'b'.repeat(200)}"}`), headers: { 'Content-Encoding': 'gzip', ...json } },
    application: inExpress(express.raw({ type: '*/*' }), req => parsed(req.body, req))
  })
  inFramework('Fastify: its JSON parser, then JSON.stringify', 'digest-mismatch', /a JSON parser read it/, {
    request: { body: '{"price":1.50}' },
    application: judge => {
      const app = fastify()
      app.post('/hook', async req => judge(parsed(JSON.stringify(req.body), req.raw)))
      return new Promise(resolve => app.ready(() => resolve((req, res) => app.routing(req, res))))
    }
  })
  inFramework('Koa: ctx.path', 'signature-mismatch', /key did make this/, {
    application: judge =>
      new Koa()
        .use(async ctx => {
          judge({ ...fromNodeRequest(ctx.req, { https: true }), target: ctx.path, body: await bytes(ctx.req) })
          ctx.body = ''
        })
        .callback(),
    fix: /a query dropped/
  })
  inFramework('Fetch: request.url as the target', 'signature-mismatch', /the target is a whole URL/, {
    application: judge => async (req, res) => {
      const request = new Request(`https://${req.headers.host}${req.url}`, { method: 'POST', headers: flat(req) })
      judge({ ...fromFetchRequest(request), target: request.url, body: await bytes(req) })
      res.end()
    },
    line: line('/hook?id=42')
  })
  inFramework('Fetch: the URL escapes what the sender did not', 'signature-mismatch', /decoded or encoded again/, {
    target: "/hook?name=O'Neill",
    application: judge => async (req, res) => {
      const request = new Request(`https://${req.headers.host}${req.url}`, { method: 'POST', headers: flat(req) })
      judge({ ...fromFetchRequest(request), body: await bytes(req) })
      res.end()
    }
  })
})

/** Applications that pass on what they have of a request, as JSON for `explain`; X-Case says what they have as the body. */
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
  export = { method: 'POST', url: env['PATH_INFO'], headers: headers, body: body }
  [200, { 'content-type' => 'application/json' }, [JSON.generate(export)]]
}
`

const LANGUAGES = {
  PHP: ['php', ['-S', '127.0.0.1:PORT', 'hook.php'], { 'hook.php': PHP }],
  Python: ['gunicorn', ['-b', '127.0.0.1:PORT', '--no-sendfile', 'app:application'], { 'app.py': PYTHON }],
  'Python below /hooks': [
    'gunicorn',
    ['-b', '127.0.0.1:PORT', '--no-sendfile', '-e', 'SCRIPT_NAME=/hooks', 'app:application'],
    { 'app.py': PYTHON }
  ],
  Ruby: ['puma', ['-b', 'tcp://127.0.0.1:PORT', 'config.ru'], { 'config.ru': RUBY }]
} as const

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

describe('what an application in another language makes of it', () => {
  beforeAll(async () => {
    const free = await freePorts(Object.keys(LANGUAGES).length)
    for (const [i, [name, [program, args, files]]] of Object.entries(LANGUAGES).entries()) {
      const port = free[i]!
      const own = args.map(arg => arg.replace('PORT', `${port}`))
      stops.push((await startProgram(program, own, files, port)).stop)
      ports.set(name, port)
    }
  })

  /** `has`: what the application has as the body. */
  type InLanguage = More & { language: keyof typeof LANGUAGES; has: string }
  const inLanguage = (name: string, code: Code, cause: RegExp, more: InLanguage) =>
    test(name, async () => {
      const { language, has, ...others } = more
      const signed = signOf(more)
      const headers = [...(signed.headers as Lines), ['X-Case', has] as const]
      const answer = await send({ ...signed, headers }, ports.get(language)!)
      const entries = readCapture(Buffer.from(/\{.*\}/s.exec(answer)?.[0] ?? answer))
      await expectCause(entries[0]!.request, { code, cause, ...others })
    })

  inLanguage('PHP: json_encode(json_decode(...))', 'digest-mismatch', /a JSON parser read it/, {
    request: { body: '{"url": "https://a.example/b", "name": "é"}' },
    language: 'PHP',
    has: 'json'
  })
  inLanguage('PHP: json_encode(json_decode(..., true))', 'digest-mismatch', /a JSON parser read it/, {
    request: { body: '{"id":1,"meta":{}}' },
    language: 'PHP',
    has: 'array'
  })
  inLanguage('PHP: http_build_query($_POST)', 'digest-mismatch', /a form parser read it/, {
    request: { body: 'a=b%20c&d=%C3%A9', headers: form },
    language: 'PHP',
    has: 'form'
  })
  inLanguage('PHP: $_SERVER["PHP_SELF"]', 'signature-mismatch', /decoded or encoded again/, {
    target: '/hook.php/a%20b',
    language: 'PHP',
    has: 'self'
  })
  inLanguage('Python: json.dumps(json.loads(...))', 'digest-mismatch', /a JSON parser read it/, {
    request: { body: '{"name":"é","list":[1,2]}' },
    language: 'Python',
    has: 'json'
  })
  inLanguage('Python: the body read as Latin-1', 'digest-mismatch', /read as Latin-1 and written as UTF-8/, {
    request: { body: '{"name":"é"}' },
    language: 'Python',
    has: 'latin1'
  })
  inLanguage('Python: PATH_INFO', 'signature-mismatch', /decoded or encoded again/, {
    target: '/caf%C3%A9/a%20b',
    language: 'Python',
    has: 'raw'
  })
  inLanguage('Python: PATH_INFO below SCRIPT_NAME', 'signature-mismatch', /took \/hooks off the path/, {
    target: '/hooks/in',
    language: 'Python below /hooks',
    has: 'raw'
  })
  inLanguage('Ruby: JSON.pretty_generate(JSON.parse(...))', 'digest-mismatch', /a JSON parser read it/, {
    request: { target: '/', body: '{"list":[1,2],"empty":{}}' },
    language: 'Ruby',
    has: 'json'
  })
})

const [RECORD = ''] = Object.values(service.records).map(([record]) => record!.join(''))
const FLAGS = ['--domain', 'service.example', '--host', HOST, '--account', '1234', '--key-record', RECORD]

/** As it is on a socket. */
const dumpOf = ({ method, target, headers, body }: ReceivedRequest): Buffer => {
  const lines = [...(headers as Lines)].map(pair => `${pair.join(': ')}\r\n`).join('')
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines}\r\n`), body as Uint8Array])
}

describe('a clock that is ten minutes fast', () => {
  const atTenPast = async (args: readonly string[], input: Uint8Array = Buffer.alloc(0)): Promise<string> => {
    const all = ['-f', '+10m', process.execPath, CLI, ...args]
    const output = await execInput('faketime', all, input).catch(error => error)
    return output.stdout.replace(/\s+/g, ' ')
  }

  test('explain names both possibilities with both times', async () => {
    const said = await atTenPast(['explain', ...FLAGS], dumpOf(sign()))
    expect(said).toMatch(/^rejected: date /)
    const cause = /likely cause: the capture is 10 minutes old, or this machine's clock \((.*) GMT\) is fast/
    expect(Date.parse(cause.exec(said)?.[1] ?? '')).toBeGreaterThan(Date.now() + 500_000)
    expect(said).toContain('date -u')
  })

  test('send names it before the key, with both times', async () => {
    const { port } = receiver.address() as AddressInfo
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
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/a/../b?c={d,e}[1]`
    const args = ['send', url, '--host', HOST, '--header', "X-A: it's", '--print', 'curl', '--data', data]
    const { stdout, stderr } = await runInside(args)
    const received = await receiving(rightly(), () => execInput('sh', ['-s'], Buffer.from(stdout)))
    const record = /"[^)]*"/.exec(stderr)![0].replaceAll(/"|\n */g, '')
    const verify = createVerifier({ ...service.options, lookupTxt: async () => [[record]] })
    const verdict = await verify(received)
    expect(verdict.failures).toEqual([])
    // A diff of what is long would take minutes.
    expect(verdict.status === 'verified' && Buffer.from(verdict.body).equals(Buffer.from(data))).toBe(true)
  }
)

describe('what explain reads', () => {
  const explain = async (file: string, ...flags: string[]) => {
    const { stdout, stderr } = await runInside(['explain', ...FLAGS, ...flags], file)
    return (stderr + stdout).replace(/\n {8,24}/g, ' ')
  }
  const signed = sign({ target: '/hooks/in' })
  const dump = dumpOf(signed)

  test('the dump of curl -v, which has no body', async () => {
    listener = (_, res) => res.end()
    const said = await curl(signed, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`)
    expect(await explain(said)).toMatch(/^unavailable: the body is not in the capture; all else passed$/m)
  })

  test('a curl command, as a shell and curl take it', async () => {
    const { port } = receiver.address() as AddressInfo
    const headers = [...(signed.headers as Lines)].filter(([name]) => name !== 'Content-Length')
    const quoted = headers.map(line => `-H '${line.join(': ')}' \\\n`).join(' ')
    const command = `curl 'http://127.0.0.1:${port}/hook?a=b%20c' ${quoted} --data-raw $'{"it\\'s":"\\u00e9\\n","\\x41":"é"}'`
    const received = await receiving(rightly(), () =>
      promisify(execFile)('bash', ['-c', command], { env: { ...process.env, LC_ALL: 'C.UTF-8' } })
    )
    const { request } = readCapture(Buffer.from(command))[0]!
    expect(request).toMatchObject({ method: 'POST', target: received.target, body: received.body })
    for (const line of request.headers) expect([...(received.headers as Lines)]).toContainEqual(line)
  })

  test('what JSON.stringify prints in an Express application that parsed the body', async () => {
    const { port } = receiver.address() as AddressInfo
    let printed = ''
    listener = express()
      .use(express.json())
      .use(({ method, url, headers, body }, res) => {
        printed = JSON.stringify({ method, url, headers, body })
        res.end()
      })
    await send(sign({ body: '{"a": 1, "b": [1, 2]}' }), port)
    expect(await explain(printed)).toMatch(/note: .*these are the bytes that were signed.*^verified: /ms)
    await send(sign({ body: '{"a":1.0}' }), port)
    expect(await explain(printed)).toMatch(/has the body parsed, and its bytes as sent are lost/)
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

  /** What tcpdump sees of one request on loopback, as a file for `tcpdump -r`; undefined where it may not capture. */
  async function capturePackets(request: ReceivedRequest): Promise<Buffer | undefined> {
    const { port } = receiver.address() as AddressInfo
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
      await vi.waitUntil(() => /listening on/.test(said) || tcpdump.exitCode !== null, 10_000)
      if (tcpdump.exitCode !== null) return undefined
      listener = (req, res) => req.resume().on('end', () => res.end('received'))
      await send(request, port)
      await vi.waitUntil(() => Buffer.concat(chunks).includes('received'), 10_000)
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
    const host = `127.0.0.1:${ports.get('nginx: ends TLS')}`
    // A page may not set Date: RFC 9421 needs none.
    const covered = ['@method', '@authority', '@target-uri', 'x-service-id', 'content-digest']
    const { method, target, headers, body } = sign({ scheme: 'rfc9421', host, covered })
    const init = JSON.stringify({
      method,
      headers: [...(headers as Lines)],
      body: new TextDecoder().decode(body as Uint8Array)
    })
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
    const { port } = receiver.address() as AddressInfo
    const printed: string[] = []
    listener = (req, res) => {
      const { method, url, headers } = req
      printed.push(inspect(req), inspect({ method, url, headers }))
      res.end()
    }
    await send(signed, port)
    listener = new Koa()
      .use(async ctx => {
        printed.push(inspect(ctx.request))
        ctx.body = ''
      })
      .callback()
    await send(signed, port)
    for (const text of printed) expect(await explain(text)).toMatch(/console\.log.*JSON\.stringify/)
  })

  test('the access log of nginx has no headers', async () => {
    listener = (_, res) => res.end()
    await send(signed, ports.get('nginx: logs')!)
    await vi.waitUntil(() => readFileSync(log, 'utf8').endsWith('\n')) // nginx writes it after the response
    expect(await explain(readFileSync(log, 'utf8'))).toContain('this is an access log, which has no headers')
  })
})
