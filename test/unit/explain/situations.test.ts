import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  createVerifier,
  type DiagnosedFailure,
  diagnose,
  draftCavage,
  explain,
  fromFetchRequest,
  fromLambdaEvent,
  fromNodeRequest,
  type ReceivedRequest,
  type Verdict,
  type VerifierOptions
} from '../../../src/index.ts'
import { memoryReplayStore } from '../../../src/replay/index.ts'
import { rfc9421 } from '../../../src/standards/rfc9421/index.ts'
import { createTestService, type SignRequest } from '../../../src/testing/index.ts'

const service = createTestService({ rsaBits: 1024 })
const KEY_NAME = 'key1._domainkey.service.example'
const JSON_TYPE = { 'Content-Type': 'application/json' }
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' }

const sign = (request: SignRequest = {}): ReceivedRequest =>
  service.sign({ method: 'POST', target: '/hook?id=42', body: '{"price":10}', ...request })

const judge = (request: ReceivedRequest, options: Partial<VerifierOptions> = {}): Promise<Verdict> =>
  createVerifier({ ...service.options, dateTolerance: 300, ...options })(request)

type Lines = readonly (readonly [string, string])[]
const linesOf = (request: ReceivedRequest) => [...(request.headers as Lines)]

/** The request with these header lines, and without those that are undefined. */
function withHeaders(request: ReceivedRequest, changes: Readonly<Record<string, string | undefined>>): ReceivedRequest {
  const kept = linesOf(request).filter(([name]) => !(name in changes))
  const added = Object.entries(changes).filter((line): line is [string, string] => line[1] !== undefined)
  return { ...request, headers: [...kept, ...added] }
}

/** The request as a handler behind a router and a body parser sees it. */
type Parsed = IncomingMessage & { url: string; path: string; body?: unknown }
type Receive = (req: Parsed) => ReceivedRequest

/** What a body parser makes of the bytes. Those of real frameworks are in test/servers/situations.servers.ts. */
type Parser = (bytes: Buffer) => unknown
const jsonParser: Parser = bytes => JSON.parse(String(bytes))
const formParser: Parser = bytes => Object.fromEntries(new URLSearchParams(String(bytes)))
const textParser: Parser = String
const latin1Parser: Parser = bytes => bytes.toString('latin1')
const inflating: Parser = bytes => gunzipSync(bytes)

/** The verdict on a request that came over a connection, behind this parser, or none, and a router. */
async function through(
  signed: ReceivedRequest,
  parser: Parser | undefined,
  receive: Receive = req => fromNodeRequest(req, { https: true }),
  mount = ''
): Promise<Verdict> {
  let verdict: Promise<Verdict> | undefined
  const app: RequestListener = async (message, res) => {
    const originalUrl = message.url!
    const url = originalUrl.slice(mount.length)
    const req: Parsed = Object.assign(message, { originalUrl, url, path: url.split('?')[0]! })
    if (parser) req.body = parser(await buffer(req))
    verdict = judge(receive(req))
    verdict.finally(() => res.end())
  }
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sent = httpRequest({
    port: (server.address() as AddressInfo).port,
    method: signed.method,
    path: signed.target,
    headers: linesOf(signed).flat(),
    setHost: false
  })
  sent.end(signed.body)
  const [response] = await once(sent, 'response')
  response.resume()
  await once(response, 'end')
  server.close()
  return verdict!
}

const parsed =
  (serialize: (body: never) => string): Receive =>
  req =>
    fromNodeRequest(req, { https: true, body: Buffer.from(serialize(req.body as never)) })
const raw = (req: Parsed) => fromNodeRequest(req, { https: true, body: req.body as Buffer })
const targetOf =
  (target: (req: Parsed) => string): Receive =>
  req => ({ ...fromNodeRequest(req, { https: true }), target: target(req) })

const rejects = (code: string) => () => Promise.reject(Object.assign(new Error('failed'), { code }))
const store = (claim: () => Promise<boolean>) => ({ replayStore: { claim, release: async () => {} } })
const record = (text: string) => ({ lookupTxt: async () => [[text]] })
const published = service.records[KEY_NAME]![0]!.join('')
const long = createTestService({ rsaBits: 2048 }).records[KEY_NAME]![0]!.join('')
const longRecord = (more: number) => long.replace('p=', `${' '.repeat(more)}p=`)
const minutes = (count: number) => new Date(Date.now() + count * 60_000)

interface More {
  fix?: RegExp
  changed?: { line: number; signed: string }
}
type Judge = () => Promise<Verdict>

/** Which cause must come first, and in what situation. */
function situation(
  name: string,
  code: DiagnosedFailure['code'],
  cause: RegExp,
  ...rest: [judge: Judge] | [more: More, judge: Judge]
): void {
  const [{ fix, changed }, judge] = rest.length === 1 ? [{} as More, rest[0]] : rest
  test(name, async () => {
    const verdict = await judge()
    const diagnosis = diagnose(verdict)
    const [first, ...others] = diagnosis.failures
    expect(first).toMatchObject({ code, cause: expect.stringMatching(cause) })
    expect(first?.changed).toEqual(changed && { ...changed, received: expect.any(String) })
    if (fix) expect(first?.fix).toMatch(fix)
    expect(others.filter(({ followsFrom }) => followsFrom === undefined)).toEqual([])
    expect(diagnosis.headline).toBe(first?.check)

    const inFlags = diagnose(verdict, { settings: 'flags' }).failures[0]!
    expect(inFlags.cause).not.toMatch(/\b(?:accountPrefix|accountHeader|serviceDomain|replayStore|minRsaBits)\b/)
    expect(inFlags.fix).not.toMatch(/\b(?:adapter|verify\.|req\.|express|through URL|alsoCovered)\b|\w+: (?:'|\[)/)
    for (const { cause, fix } of [first!, inFlags]) {
      expect(`${cause} ${fix}`).not.toMatch(/(?<!== )undefined|\[\[|\|\||\{\w|null|NaN/)
    }
    if (changed) expect(explain(verdict)).toMatch(/^rejected: signature\n\nchanged: line \d\n/)
  })
}

const target = (path: string) => ({ line: 1, signed: `(request-target): post ${path}` })

// bodies
situation('a JSON parser and JSON.stringify, from Python', 'digest-mismatch', /JSON parser/, () =>
  through(sign({ body: '{"a": 1, "b": [1, 2]}' }), jsonParser, parsed(JSON.stringify))
)
situation('a JSON parser loses 1.0', 'digest-mismatch', /JSON parser/, () =>
  through(sign({ body: '{"price":1.0,"id":7}' }), jsonParser, parsed(JSON.stringify))
)
situation('a JSON parser loses escapes', 'digest-mismatch', /JSON parser/, () =>
  through(sign({ body: '{"name":"caf\\u00e9"}' }), jsonParser, parsed(JSON.stringify))
)
situation('a text serialized again', 'digest-mismatch', /as a JSON string/, () =>
  through(sign(), textParser, parsed(JSON.stringify))
)
situation('a parsed body converted to a string', 'digest-mismatch', /converted to a string/, () =>
  through(sign(), jsonParser, parsed(String))
)
situation('a form parser and URLSearchParams, from PHP', 'digest-mismatch', /form parser/, () =>
  through(
    sign({ body: 'a=b%20c&d=%C3%A9', headers: FORM_TYPE }),
    formParser,
    parsed(body => new URLSearchParams(body).toString())
  )
)
situation('a form parser and encodeURIComponent', 'digest-mismatch', /form parser/, () =>
  through(
    sign({ body: 'a=b+c', headers: FORM_TYPE }),
    formParser,
    parsed((body: { a: string }) => `a=${encodeURIComponent(body.a)}`)
  )
)
situation('text read as Latin-1', 'digest-mismatch', /read as Latin-1 and written as UTF-8/, () =>
  through(sign({ body: 'é', headers: { 'Content-Type': 'text/plain' } }), latin1Parser, parsed(String))
)
situation('bytes read as text', 'digest-mismatch', /U\+FFFD/, () =>
  through(
    sign({ body: Buffer.from([0x89, 0x50, 0xff, 0xfe]), headers: { 'Content-Type': 'image/png' } }),
    textParser,
    parsed(String)
  )
)
situation('a parser inflates gzip', 'digest-mismatch', /decompressed it .*gzip/, { fix: /no parser in front/ }, () =>
  through(
    sign({ body: gzipSync(`{"a":"${'b'.repeat(200)}"}`), headers: { 'Content-Encoding': 'gzip', ...JSON_TYPE } }),
    inflating,
    raw
  )
)
situation(
  'a proxy inflates gzip and drops Content-Encoding',
  'digest-mismatch',
  /decompressed, parsed .* longer than what was signed/,
  () => {
    const body = gzipSync(`{"a":"${'b'.repeat(200)}"}`)
    return judge({ ...sign({ body }), body: gunzipSync(body) })
  }
)
situation(
  'a proxy drops Content-Encoding, which is signed',
  'coverage-absent',
  /removed Content-Encoding: it decompressed/,
  () => {
    const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest', 'content-encoding']
    const signed = sign({ body: gzipSync('{}'), headers: { 'Content-Encoding': 'gzip' }, covered })
    return judge({ ...withHeaders(signed, { 'Content-Encoding': undefined }), body: '{}' })
  }
)
situation(
  'a proxy drops the body with its length',
  'coverage-absent',
  /removed Content-Length, which is signed: it dropped the body or sends it in chunks/,
  () => judge({ ...withHeaders(sign(), { 'Content-Length': undefined }), body: '' })
)
situation(
  'a proxy drops a header with an underscore',
  'coverage-absent',
  /dropped x_tenant: many drop names with an underscore/,
  { fix: /underscores_in_headers on/ },
  () => {
    const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest', 'x_tenant']
    return judge(withHeaders(sign({ headers: { x_tenant: 'a' }, covered }), { x_tenant: undefined }))
  }
)
situation('Lambda without the decoding of base64', 'digest-mismatch', /base64/, () => {
  const signed = sign()
  const body = Buffer.from('{"price":10}').toString('base64')
  const multiValueHeaders = Object.fromEntries(linesOf(signed).map(([name, value]) => [name, [value]]))
  const event = { httpMethod: 'POST', path: '/hook', multiValueHeaders, body, isBase64Encoded: false }
  return judge({
    ...fromLambdaEvent({ ...event, requestContext: { elb: {} } }, { https: true }),
    target: signed.target
  })
})
situation('a body that was cut', 'digest-mismatch', /cut short .*: 6 of 12 bytes/, () =>
  judge({ ...sign(), body: '{"pric' })
)
situation('a body that was read before', 'digest-mismatch', /body is empty/, () => judge({ ...sign(), body: '' }))
situation(
  'a capture without the body',
  'digest-mismatch',
  /body is empty/,
  { fix: /raw bytes, before any body parser/ },
  () => judge({ ...sign(), body: null })
)
situation('a body added to a request that has none', 'digest-mismatch', /signed an empty body/, () =>
  judge({ ...sign({ body: '' }), body: 'null' })
)
situation('a forged body', 'digest-mismatch', /^the body was changed after it was signed$/, () =>
  judge({ ...sign(), body: '{"price":99}' })
)
situation('a newline that an editor removed', 'digest-mismatch', /newline at its end was removed/, () =>
  judge({ ...sign({ body: '{}\n' }), body: '{}' })
)
situation('a body above the limit', 'body-too-large', /large body, or a flood/, { fix: /now 4 bytes/ }, () =>
  judge(sign(), { maxBodyBytes: 4 })
)
situation('a connection that broke', 'body-unreadable', /ECONNRESET/, () => {
  const body = { [Symbol.asyncIterator]: () => ({ next: rejects('ECONNRESET') }) }
  return judge({ ...sign(), body })
})

// targets
situation(
  'a router strips its mount path',
  'signature-mismatch',
  /took \/hooks off the path/,
  { fix: /prefix: '\/hooks'/, changed: target('/hooks/hook?id=42') },
  () =>
    through(
      sign({ target: '/hooks/hook?id=42' }),
      undefined,
      targetOf(req => req.url),
      '/hooks'
    )
)
situation(
  'a proxy strips a prefix, and says so',
  'signature-mismatch',
  /took \/inbound\/acme off the path/,
  { changed: target('/inbound/acme/hook?id=42') },
  () => {
    const signed = { ...sign({ target: '/inbound/acme/hook?id=42' }), target: '/hook?id=42' }
    return judge(withHeaders(signed, { 'X-Forwarded-Prefix': '/inbound/acme' }))
  }
)
for (const prefix of ['hooks', 'hook', 'webhook', 'webhooks', 'api', 'v1', 'v2', 'v3', 'v4', 'callback']) {
  situation(
    `a proxy strips /${prefix}`,
    'signature-mismatch',
    new RegExp(`took /${prefix} off the path`),
    { changed: target(`/${prefix}/in`) },
    () => judge({ ...sign({ target: `/${prefix}/in` }), target: '/in' })
  )
}
for (const [signed, received] of [
  ['/hooks', '/'],
  ['/hooks/in?id=1', '//in?id=1'],
  ['/hooks?id=1', '/?id=1']
] as const) {
  situation(
    `a proxy makes ${received} of ${signed}`,
    'signature-mismatch',
    /took \/hooks off the path and added a slash/,
    { fix: /proxy_pass without a path/, changed: target(signed) },
    () => judge({ ...sign({ target: signed }), target: received })
  )
}
for (const [name, cause, signed, received] of [
  ['a proxy merges slashes', /slashes were merged/, '/hook//42?id=1//2', '/hook/42?id=1//2'],
  [
    'request.url of Fetch as the target',
    /the target is a whole URL/,
    '/hook?id=42',
    'https://receiver.example/hook?id=42'
  ],
  [
    'the path in lower case',
    /^line 1 was changed after it was signed: capital letters were put in lower case$/,
    '/Acme/Hook?Id=1',
    '/acme/hook?Id=1'
  ],
  ['escapes in the other case', /decoded or encoded again/, '/caf%c3%a9', '/caf%C3%A9'],
  ['an escaped slash is decoded', /decoded or encoded again/, '/files/a%2Fb', '/files/a/b']
] as const) {
  situation(name, 'signature-mismatch', cause, { changed: target(signed) }, () =>
    judge({ ...sign({ target: signed }), target: received })
  )
}
situation(
  'a rewrite to another path, and the original in a header',
  'signature-mismatch',
  /x-original-uri has the one that was signed/,
  { changed: target('/hook?id=42') },
  () => judge(withHeaders({ ...sign(), target: '/index.php' }, { 'X-Original-URI': '/hook?id=42' }))
)
situation(
  'the query is dropped, and the original in a header',
  'signature-mismatch',
  /query was dropped/,
  { changed: target('/hook?id=42') },
  () => judge(withHeaders({ ...sign(), target: '/hook' }, { 'X-Forwarded-Uri': '/hook?id=42' }))
)
situation(
  'req.path has no query',
  'signature-mismatch',
  /key did make this signature/,
  { fix: /a query dropped/ },
  () =>
    through(
      sign(),
      undefined,
      targetOf(req => req.path)
    )
)
situation(
  'the path is decoded',
  'signature-mismatch',
  /decoded or encoded again/,
  { changed: target('/a%20b%20c') },
  () =>
    through(
      sign({ target: '/a%20b%20c' }),
      undefined,
      targetOf(req => decodeURI(req.url))
    )
)
situation(
  'Host in lower case',
  'signature-mismatch',
  /^line 2 was changed after it was signed: capital letters of Host were put in lower case, as nginx's \$host does$/,
  { changed: { line: 2, signed: 'host: Receiver.Example' } },
  () => judge(withHeaders(sign({ host: 'Receiver.Example' }), { Host: 'receiver.example' }))
)
situation(
  'a cache sorts the query',
  'signature-mismatch',
  /parameters of the query were put in another order/,
  { changed: target('/hook?type=a&id=42&at=7&by=me') },
  () =>
    through(
      sign({ target: '/hook?type=a&id=42&at=7&by=me' }),
      undefined,
      targetOf(req => {
        const { pathname, searchParams } = new URL(req.url, 'http://x')
        searchParams.sort()
        return `${pathname}?${searchParams}`
      })
    )
)
situation(
  'the target is rebuilt through URL',
  'signature-mismatch',
  /decoded or encoded again/,
  { changed: target('/a?b=c+d') },
  () => {
    const rebuild = (req: Parsed) => {
      const { pathname, searchParams } = new URL(req.url, 'http://x')
      return `${pathname}?${searchParams}`.replaceAll('+', '%20')
    }
    return through(sign({ target: '/a?b=c+d' }), undefined, targetOf(rebuild))
  }
)
situation(
  'a redirect turns POST into GET',
  'signature-mismatch',
  /redirect turned POST into GET/,
  { changed: target('/hook?id=42') },
  () => judge({ ...sign(), method: 'GET' })
)
// headers
situation(
  'a framework sets a charset',
  'signature-mismatch',
  /Content-Type was rewritten/,
  { changed: { line: 5, signed: 'content-type: application/json' } },
  () => judge(withHeaders(sign(), { 'Content-Type': 'application/json; charset=utf-8' }))
)
situation(
  'Content-Length is rewritten',
  'signature-mismatch',
  /Content-Length was rewritten/,
  { changed: { line: 4, signed: 'content-length: 12' } },
  () => judge(withHeaders(sign(), { 'Content-Length': '512' }))
)
situation(
  'Host is another of ours',
  'signature-mismatch',
  /replaced Host/,
  { changed: { line: 2, signed: 'host: receiver.example' } },
  () =>
    judge(withHeaders(sign(), { Host: 'www.receiver.example' }), {
      hosts: ['www.receiver.example', 'receiver.example']
    })
)
situation(
  'Host without its port',
  'signature-mismatch',
  /changed the port/,
  { changed: { line: 2, signed: 'host: receiver.example:443' } },
  () => judge(withHeaders(sign({ host: 'receiver.example:443' }), { Host: 'receiver.example' }))
)
situation(
  'the lines of a header are joined otherwise',
  'signature-mismatch',
  /joined, split or repeated/,
  { changed: { line: 8, signed: 'x-nonce: a,b' } },
  () => judge(withHeaders(sign({ headers: { 'X-Nonce': 'a,b' } }), { 'X-Nonce': 'a, b' }))
)
situation('another key under the same name', 'signature-mismatch', /another key made it/, () =>
  judge(sign(), { lookupTxt: createTestService({ rsaBits: 1024 }).lookupTxt })
)
situation('an unsigned request of a scanner', 'signature-missing', /not signed, so it is not from the service/, () =>
  judge({ method: 'GET', target: '/.env', headers: [['Host', '10.0.0.5']], body: null, https: false })
)
situation('a proxy drops Signature', 'signature-missing', /a proxy dropped it/, () =>
  judge(withHeaders(sign(), { Signature: undefined }))
)
situation(
  'the signature is in Authorization',
  'signature-missing',
  /^the signature is in Authorization, the other form of the draft, which is not read here$/,
  { fix: /same parameters in a Signature header/ },
  () => {
    const signed = sign()
    const signature = linesOf(signed).find(([name]) => name === 'Signature')![1]
    return judge(withHeaders(signed, { Signature: undefined, Authorization: `Signature ${signature}` }))
  }
)
situation('another kind of Authorization, and no signature', 'signature-missing', /a proxy dropped it/, () =>
  judge(withHeaders(sign(), { Signature: undefined, Authorization: 'Bearer Signature' }))
)
situation('a proxy drops Digest', 'digest-missing', /a proxy dropped it/, () =>
  judge(withHeaders(sign(), { Digest: undefined }))
)
situation('a proxy drops Date', 'date-missing', /a proxy or CDN dropped it/, () =>
  judge(withHeaders(sign(), { Date: undefined }))
)
situation(
  'Host is the address of the upstream',
  'host-mismatch',
  /replaced Host with the address that it forwards to \(10\.0\.0\.5:3000\)/,
  { fix: /only if the service calls you by that name/ },
  () => judge(withHeaders(sign(), { Host: '10.0.0.5:3000' }))
)
situation(
  'Host is the server_name of nginx for any name',
  'host-mismatch',
  /^a proxy replaced Host with _, as nginx does with proxy_set_header Host \$server_name/,
  { fix: /proxy_set_header Host \$http_host/ },
  () => judge(withHeaders(sign(), { Host: '_' }))
)
situation('Host with a port that is not configured', 'host-mismatch', /the port differs/, () =>
  judge(sign({ host: 'receiver.example:8443' }))
)
situation(
  'a name that is not configured',
  'host-mismatch',
  /another receiver, or a proxy replaced Host, or it is a name of yours/,
  () => judge(sign({ host: 'hooks.receiver.example' }))
)
situation('TLS ends at a proxy', 'not-https', /TLS ends at a proxy, or the sender used http/, () =>
  judge({ ...sign(), https: false })
)

// accounts
situation(
  'the account is in another header',
  'account-missing',
  /X-Acme-ID: account-1234 is there: is that it\?/,
  { fix: /accountHeader: 'X-Acme-ID'/ },
  () => {
    const acme = createTestService({ accountHeader: 'X-Acme-ID', rsaBits: 1024 })
    return judge(acme.sign(), { lookupTxt: acme.lookupTxt })
  }
)
situation('another account', 'account-mismatch', /another customer of the service, or for an account of yours/, () =>
  judge(sign({ headers: { 'X-Service-ID': 'account-99' } }))
)
situation(
  'a proxy replaces the account',
  'account-mismatch',
  /or x-service-id was changed: the signature is not checked until the account fits$/,
  { fix: /^If 99 is yours: .* If not, .* have proxies pass x-service-id on unchanged\.$/ },
  () => judge(withHeaders(sign(), { 'X-Service-ID': 'account-99' }))
)
for (const accountPrefix of ['account', '']) {
  situation(
    `accountPrefix is "${accountPrefix}"`,
    'account-mismatch',
    /^a part of the prefix is left in (?:account)?-1234: is accountPrefix too short\?$/,
    { fix: /leave it out for account-/ },
    () => judge(sign(), { accountPrefix })
  )
}
situation('accountPrefix is a part, and a function decides', 'account-mismatch', /is accountPrefix too short/, () =>
  judge(sign(), { accountPrefix: 'account', accounts: id => id === '1234' })
)
situation('the prefix is a part of each id', 'account-mismatch', /another customer of the service/, () =>
  judge(sign(), { accountPrefix: '', accounts: ['account-99'] })
)
situation('accounts returns a row', 'account-check-failed', /does not return a boolean/, () =>
  judge(sign(), { accounts: (() => ({ id: 1 })) as never })
)
situation('accounts throws', 'account-check-failed', /threw ECONNREFUSED/, () =>
  judge(sign(), { accounts: rejects('ECONNREFUSED') })
)

// clocks
situation(
  'a request that was kept, or a clock that is fast',
  'date-too-old',
  /10 minutes behind .* delayed or replayed, or this clock is fast/,
  { fix: /date -u/ },
  () => judge(sign({ date: minutes(-10) }))
)
situation(
  'a clock that is slow',
  'date-in-future',
  /10 minutes ahead .* sender's clock is fast, or this one is slow/,
  { fix: /date -u/ },
  () => judge(sign({ date: minutes(10) }))
)

situation(
  'now() in seconds',
  'date-in-future',
  /Jan 1970 .*\): now\(\) returns seconds, not milliseconds$/,
  { fix: /^Return milliseconds since 1970/ },
  () => judge(sign(), { now: () => Date.now() / 1000 })
)
situation('a machine that has no clock', 'date-in-future', /01 Jan 1970 .* or this one is slow/, () =>
  judge(sign(), { now: () => 60_000 })
)
situation(
  'Date is not signed',
  'coverage-insufficient',
  /^the sender signs less than the service does$/,
  { fix: /^Have the sender sign date, or anyone can change it\.$/ },
  () => judge(sign({ covered: ['(request-target)', 'host', 'x-service-id', 'digest'] }))
)
situation(
  'a name that only the receiver wants signed',
  'coverage-insufficient',
  /a name is configured that the service does not sign/,
  { fix: /check accountHeader and alsoCovered/ },
  () => judge(sign(), { alsoCovered: ['x-tenant'] })
)

situation(
  'the account header twice',
  'account-repeated',
  /a proxy or the sender wrote it twice/,
  { fix: /have proxies pass every header on unchanged/i },
  () => {
    const signed = service.sign()
    return judge({ ...signed, headers: [...signed.headers, ['X-Service-ID', 'account-1234']] })
  }
)
situation(
  'a method of RFC 9421 in lower case',
  'signature-mismatch',
  /the method was changed/,
  { changed: { line: 1, signed: '"@method": POST' } },
  () => judge({ ...sign({ scheme: 'rfc9421' }), method: 'post' }, { schemes: [rfc9421] })
)

// keys
situation('the standard of RFC 9421', 'signature-malformed', /signed by RFC 9421/, () =>
  judge(sign({ scheme: 'rfc9421' }))
)
situation(
  'the draft, where only RFC 9421 is allowed',
  'signature-missing',
  /^it is signed by the draft, not by RFC 9421, or a proxy dropped Signature-Input$/,
  { fix: /schemes: \[draftCavage, rfc9421\]/ },
  () => judge(sign(), { schemes: [rfc9421] })
)
situation(
  'Signature-Input dropped, where both standards are allowed',
  'signature-malformed',
  /^it is signed by RFC 9421, not by the draft; or a proxy dropped Signature-Input, where both are allowed$/,
  { fix: /have proxies pass Signature-Input on unchanged/ },
  () => {
    const signed = sign({ scheme: 'rfc9421' })
    const headers = linesOf(signed).filter(([name]) => name !== 'Signature-Input')
    return judge({ ...signed, headers }, { schemes: [draftCavage, rfc9421] })
  }
)
test('a Signature of RFC 9421 that is malformed is not taken for another standard', async () => {
  const signed = sign({ scheme: 'rfc9421' })
  const headers = linesOf(signed).map(([name, value]) => [name, name === 'Signature' ? `${value};x` : value] as const)
  const verdict = await judge({ ...signed, headers }, { schemes: [draftCavage, rfc9421] })
  expect(verdict.failures).toMatchObject([{ code: 'signature-malformed' }])
  expect(diagnose(verdict).failures[0]?.cause).not.toContain('not by the draft')
})
situation(
  'fromFetchRequest where the platform changes request.url',
  'host-repeated',
  /the platform changes request\.url/,
  { fix: /host: 'header'/ },
  () => {
    const { headers, body } = sign()
    const init = { method: 'POST', headers: [...(headers as [string, string][])], body: String(body) }
    return judge(fromFetchRequest(new Request('https://localhost:3000/hook?id=42', init)))
  }
)
situation('a lookupTxt that throws', 'key-lookup-failed', /your lookupTxt function threw TypeError/, () =>
  judge(sign(), { lookupTxt: () => undefined as never })
)
situation(
  "a claim() that resolves to 'OK'",
  'replay-store-failed',
  /resolved to something else than true or false/,
  () => judge(sign(), { replayStore: { claim: async () => 'OK' as never, release: async () => {} } })
)
test('an algorithm for the command line, where the flag replaces the default', async () => {
  const signed = sign()
  const headers = linesOf(signed).map(([name, value]) => [name, value.replace('a-sha256', 'a-sha512')] as const)
  const [failure] = diagnose(await judge({ ...signed, headers }), { settings: 'flags' }).failures
  expect(failure?.fix).toBe(
    'If the service says so, give it beside what is to stay (rsa-sha256): --algorithm rsa-sha512.'
  )
})
situation(
  'a stripped prefix during a rotation, signed by the second key of the name',
  'signature-mismatch',
  /took \/hooks off the path/,
  { changed: target('/hooks/in') },
  () => {
    const next = createTestService({ rsaBits: 1024 })
    const records = [next, service].flatMap(({ records }) => records[KEY_NAME]!)
    return judge({ ...sign({ target: '/hooks/in' }), target: '/in' }, { lookupTxt: async () => records })
  }
)
situation(
  'a good key below minRsaBits',
  'key-too-short',
  /has 1024 bits, and minRsaBits is 4096: is that above what the service uses\?/,
  () => judge(sign(), { minRsaBits: 4096 })
)
situation('a good key above maxRsaBits', 'key-too-long', /has 1032 bits, and maxRsaBits is 1024/, () => {
  const long = createTestService({ rsaBits: 1032 })
  return judge(long.sign(), { lookupTxt: long.lookupTxt, maxRsaBits: 1024 })
})
situation(
  'the domain is the name of the key',
  'key-name-outside-domain',
  /serviceDomain is the name of the key itself/,
  () => judge(sign(), { serviceDomain: KEY_NAME })
)
situation('another domain', 'key-name-outside-domain', /somebody else's key, or a wrong serviceDomain/, () =>
  judge(sign(), { serviceDomain: 'other.example' })
)
situation('a key that is not published', 'key-not-found', /withdrawn, is not published yet/, () =>
  judge(sign(), { lookupTxt: rejects('ENOTFOUND') })
)
situation('a name without TXT records', 'key-not-found', /^DNS has the name, and no TXT record there: /, () =>
  judge(sign(), { lookupTxt: rejects('ENODATA') })
)
situation(
  'another TXT record in the place of the key',
  'key-not-found',
  /no key record there: .* a wildcard or another TXT record/,
  () => judge(sign(), record('v=spf1 -all'))
)
situation('a key that was revoked', 'key-revoked', /it was replaced/, () => judge(sign(), record('v=DKIM1; p=')))
situation('a record that was cut', 'key-unreadable', /was cut at \d+ characters/, () =>
  judge(sign(), record(published.slice(0, -8)))
)
for (const more of [0, 1, 2, 3]) {
  situation(
    `a record that was cut at 255 characters, with ${more} before the key`,
    'key-unreadable',
    /^the record was cut at 255 characters: only its first part is there$/,
    { fix: /The sender must publish the whole record/ },
    () => judge(sign(), record(longRecord(more).slice(0, 255)))
  )
}
situation('a record that was cut at another length', 'key-unreadable', /was cut at 254 characters/, () =>
  judge(sign(), record(longRecord(0).slice(0, 254)))
)
situation('a bad record of 255 characters that ends after its key', 'key-unreadable', /is not a public key/, () =>
  judge(sign(), record(`${long.slice(0, 250)}; t=s`))
)
for (const [i, text] of [
  `"${published}"`,
  published.replace(/^(.{90})/, '$1" "'),
  `${published.slice(0, 40)}\\"${published.slice(40)}"`,
  published.replaceAll(';', '\\;')
].entries()) {
  situation(
    `a record in the form of a zone file, ${i + 1}`,
    'key-malformed',
    /^the quotes or backslashes of a zone file were published/,
    { fix: /The sender must publish the text without quotes/ },
    () => judge(sign(), record(text))
  )
}
situation('DNS that does not answer', 'key-lookup-failed', /your DNS server.*ECONNREFUSED/, () =>
  judge(sign(), { lookupTxt: rejects('ECONNREFUSED') })
)
situation('DNS that is slow', 'key-lookup-timeout', /your DNS server/, () =>
  judge(sign(), { lookupTxt: () => new Promise(() => {}), lookupTimeout: 1 })
)

// replay
situation(
  'the same bytes again',
  'replayed',
  /a retry of the sender .*, or an attack/,
  { fix: /Nothing to fix if the first one was handled/ },
  async () => {
    const verify = createVerifier({ ...service.options, replayStore: memoryReplayStore() })
    const signed = sign()
    await verify(signed)
    return verify(signed)
  }
)
situation('a memory that is full', 'replay-store-failed', /REPLAY_STORE_FULL, it holds as many ids/, async () => {
  const replayStore = memoryReplayStore({ maxEntries: 1 })
  await judge(sign(), { replayStore })
  return judge(sign(), { replayStore })
})
situation('a store that is down', 'replay-store-failed', /the replay store failed: ECONNREFUSED/, () =>
  judge(sign(), store(rejects('ECONNREFUSED')))
)

// what is configured here, and not what a sender or a proxy did
situation(
  'prefix is set, and nothing is stripped',
  'signature-mismatch',
  /put something in front of the path, or prefix is set and nothing was taken off/,
  { fix: /leave prefix out if nothing is taken off/, changed: target('/hook?id=42') },
  () => through(sign(), undefined, req => fromNodeRequest(req, { https: true, prefix: '/api' }))
)
situation(
  'a lookupTxt function that returns strings',
  'key-lookup-failed',
  /^your lookupTxt function does not return what DNS does: the answer is not of the form string\[\]\[\]/,
  { fix: /as dns\.promises\.resolveTxt does/ },
  () => judge(sign(), { lookupTxt: (async () => [published]) as never })
)
situation(
  'X-Forwarded-Host that has the address of the application',
  'host-mismatch',
  /the proxy writes another name into X-Forwarded-Host/,
  () =>
    through(withHeaders(sign(), { 'X-Forwarded-Host': '127.0.0.1:3000' }), undefined, req =>
      fromNodeRequest(req, { https: true, host: 'x-forwarded-host' })
    )
)
situation(
  'X-Forwarded-Proto that says on',
  'not-https',
  /X-Forwarded-Proto says on, which is neither http nor https/,
  { fix: /proxy_set_header X-Forwarded-Proto \$scheme/ },
  () =>
    through(withHeaders(sign(), { 'X-Forwarded-Proto': 'on' }), undefined, req =>
      fromNodeRequest(req, { https: 'x-forwarded-proto' })
    )
)
situation(
  'a proxy that drops the account header, which is signed',
  'account-missing',
  /^a proxy removed x-service-id, which is signed$/,
  () => judge(withHeaders(sign(), { 'X-Service-ID': undefined }))
)
situation(
  'a keyId that is the domain',
  'key-name-outside-domain',
  /the sender names serviceDomain itself as its key/,
  { fix: /under service\.example/ },
  () => {
    const signed = sign()
    const signature = linesOf(signed).find(([name]) => name === 'Signature')![1]
    return judge(withHeaders(signed, { Signature: signature.replace(KEY_NAME, 'service.example') }))
  }
)
situation(
  'Host in capital letters',
  'signature-mismatch',
  /the letters of Host were put in another case/,
  { changed: { line: 2, signed: 'host: receiver.example' } },
  () => judge(withHeaders(sign(), { Host: 'RECEIVER.EXAMPLE' }))
)

// CDNs, by the headers that they add
const CDN_LINES = [
  ['CloudFront', { 'X-Amz-Cf-Id': 'AbC==' }, /origin request policy that forwards Host, such as AllViewer/],
  ['CloudFront', { Via: '1.1 abc.cloudfront.net (CloudFront)' }, /origin request policy/],
  ['Cloudflare', { 'CF-Ray': '8a1b-LIS' }, /remove the Host header override/],
  ['Cloudflare', { 'CDN-Loop': 'cloudflare; loops=1' }, /remove the Host header override/],
  ['Fastly', { 'X-Served-By': 'cache-lis1490024-LIS' }, /leave "Override host" .* empty/],
  ['Azure Front Door', { 'X-Azure-FDID': 'a-b' }, /leave "Origin host header" of its origin empty/],
  ['Akamai', { 'Akamai-Origin-Hop': '1' }, /"Forward Host Header" .* "Incoming Host Header"/],
  ["Google Cloud's load balancer", { Via: '1.1 google' }, /hostRewrite/]
] as const
for (const [name, lines, fix] of CDN_LINES) {
  const [line] = Object.entries(lines)
  situation(
    `${name} (${line}) replaces Host`,
    'host-mismatch',
    new RegExp(`^${name} is in front, .* Host \\(received origin\\.example\\)`),
    { fix },
    () => judge(withHeaders(sign(), { Host: 'origin.example', ...lines }))
  )
  situation(
    `${name} (${line}) replaces Host by another of ours`,
    'signature-mismatch',
    new RegExp(`${name} replaced Host`),
    { fix, changed: { line: 2, signed: 'host: receiver.example' } },
    () =>
      judge(withHeaders(sign(), { Host: 'origin.example', ...lines }), {
        hosts: ['origin.example', 'receiver.example']
      })
  )
}
test.each(CDN_LINES)('%s is no reason for a nginx setting', async (_, lines) => {
  const verdict = await judge(withHeaders(sign(), { Host: 'origin.example', ...lines }))
  expect(diagnose(verdict).failures[0]?.fix).not.toContain('nginx')
})
situation('a proxy that names itself in Via, and no CDN', 'host-mismatch', /a proxy replaced Host/, () =>
  judge(withHeaders(sign(), { Host: 'origin.example', Via: '1.1 squid' }))
)

// $host of nginx
for (const host of ['Receiver.example', 'RECEIVER.EXAMPLE', 'Hooks-Receiver.Example', 'Receiver.Example:8443']) {
  situation(
    `$host of nginx puts ${host} in lower case`,
    'signature-mismatch',
    /capital letters of Host were put in lower case, as nginx's \$host does/,
    { fix: /Host \$http_host/, changed: { line: 2, signed: `host: ${host}` } },
    () => judge(withHeaders(sign({ host }), { Host: host.toLowerCase() }), { hosts: host })
  )
}
situation(
  '$host of nginx leaves out the port',
  'host-mismatch',
  /^the port of Host was dropped on the way: receiver\.example was received, and receiver\.example:8443 is configured/,
  { fix: /Host \$http_host/ },
  () =>
    judge(withHeaders(sign({ host: 'receiver.example:8443' }), { Host: 'receiver.example' }), {
      hosts: 'receiver.example:8443'
    })
)

// bodies that are shorter than what was signed
const image = Buffer.from(Array.from({ length: 200 }, (_, i) => (i * 37) % 256))
for (const [name, body, received] of [
  ['text', 'line one\nline two\n', 'line one\nli'],
  ['an image', image, image.subarray(0, 90)],
  ['XML', '<a><b>1</b></a>', '<a><b>1</b'],
  ['JSON behind an inner bracket', '{"a":{"b":1},"c":2}', '{"a":{"b":1}'],
  ['JSON behind an inner list', '[[1,2],[3,4]]', '[[1,2]'],
  ['a string of JSON', '"one two three"', '"one two'],
  ['a part of multipart', '--x\r\nA: b\r\n\r\nc\r\n--x--\r\n', '--x\r\nA: b\r\n\r\nc']
] as const) {
  situation(`${name}, cut`, 'digest-mismatch', /^the body was cut short after it was signed: \d+ of \d+ bytes$/, () =>
    judge({ ...sign({ body }), body: received })
  )
}
for (const [name, body, received] of [
  ['an object', '{"price":100000}', '{"price":1}'],
  ['a list', '[1,2,3,4]', '[9]'],
  ['a string', '"one two three"', '"two"'],
  ['a number', '123456', '654'],
  ['a word', 'false', 'true'],
  ['a form', 'a=1&b=2&c=3', 'b=7&c=3']
] as const) {
  situation(
    `${name} that is whole, in place of a longer one`,
    'digest-mismatch',
    /^the body was changed after it was signed: parsed and serialized again, or replaced; it is \d+ bytes? shorter/,
    () => judge({ ...sign({ body }), body: received })
  )
}

// functions of the receiver
class QuotaError extends Error {
  override name = 'QuotaError'
}
const OWN_ERRORS = [
  ['a name that is not defined', new ReferenceError('db is not defined'), 'ReferenceError'],
  ['an error of its own', new QuotaError('no more'), 'QuotaError'],
  ['an error without a code', new Error('no'), 'Error'],
  [
    'a wrong argument of Node.js',
    Object.assign(new TypeError(), { code: 'ERR_INVALID_ARG_TYPE' }),
    'ERR_INVALID_ARG_TYPE'
  ],
  ['a file that is not there', Object.assign(new Error(), { code: 'ENOENT' }), 'ENOENT']
] as const
for (const [name, error, label] of OWN_ERRORS) {
  const throws = () => Promise.reject(error)
  const fix = { fix: /^Fix that (?:function|code)/ }
  situation(
    `lookupTxt: ${name}`,
    'key-lookup-failed',
    new RegExp(`^your lookupTxt function threw ${label}$`),
    fix,
    () => judge(sign(), { lookupTxt: throws })
  )
  situation(
    `accounts: ${name}`,
    'account-check-failed',
    new RegExp(`^your accounts function threw ${label}$`),
    fix,
    () => judge(sign(), { accounts: throws })
  )
  situation(`a store: ${name}`, 'replay-store-failed', new RegExp(`^the code of the store threw ${label}$`), fix, () =>
    judge(sign(), store(throws))
  )
}
for (const code of ['ECONNRESET', '57P03', '40001', 'SQLITE_BUSY', 'CLUSTERDOWN', 'UND_ERR_SOCKET', 'EAI_AGAIN']) {
  situation(
    `a store whose server says ${code}`,
    'replay-store-failed',
    /^the replay store failed: /,
    { fix: /runs, takes/ },
    () => judge(sign(), store(rejects(code)))
  )
}

// tunnels, as their documentation describes them
situation(
  'ngrok with --host-header=rewrite',
  'host-mismatch',
  /replaced Host with localhost:3000: X-Forwarded-Host: receiver\.example is there, and is not trusted/,
  { fix: /host: 'x-forwarded-host'/ },
  () => judge(withHeaders(sign(), { Host: 'localhost:3000', 'X-Forwarded-Host': 'receiver.example' }))
)
situation(
  'cloudflared with httpHostHeader',
  'host-mismatch',
  /^Cloudflare is in front/,
  { fix: /^Have Cloudflare keep Host/ },
  () => judge(withHeaders(sign(), { Host: 'localhost', 'CF-Ray': '8a1b-LIS', 'CDN-Loop': 'cloudflare; loops=1' }))
)
situation(
  'Tailscale Funnel with --set-path',
  'signature-mismatch',
  /took \/hook off the path/,
  { fix: /prefix: '\/hook'/, changed: target('/hook/in') },
  () => judge({ ...sign({ target: '/hook/in' }), target: '/in' })
)
situation(
  'smee.io serializes JSON again',
  'digest-mismatch',
  /a JSON parser read it, and it was serialized again/,
  () => judge({ ...sign({ body: '{"a": 1, "b": [1, 2]}' }), body: '{"a":1,"b":[1,2]}' })
)
situation('Hookdeck delivers later', 'date-too-old', /behind .* delayed or replayed/, () =>
  judge(sign({ date: minutes(-30) }))
)

// Lambda, in its four forms
const LAMBDA_FORMS = [
  [
    'a REST API',
    { requestContext: { path: '/hook?id=42' }, httpMethod: 'POST', path: '/hook', queryStringParameters: { id: '42' } }
  ],
  [
    'an HTTP API',
    {
      version: '2.0',
      rawPath: '/hook',
      rawQueryString: 'id=42',
      requestContext: {
        http: { method: 'POST', path: '/hook' },
        stage: '$default',
        domainName: 'x.execute-api.eu-west-1.amazonaws.com'
      }
    }
  ],
  [
    'a function URL',
    {
      version: '2.0',
      rawPath: '/hook',
      rawQueryString: 'id=42',
      requestContext: {
        http: { method: 'POST', path: '/hook' },
        stage: '$default',
        domainName: 'x.lambda-url.eu-west-1.on.aws'
      }
    }
  ],
  [
    'a load balancer',
    { requestContext: { elb: {} }, httpMethod: 'POST', path: '/hook', queryStringParameters: { id: '42' } }
  ]
] as const
for (const [name, form] of LAMBDA_FORMS) {
  const receive = (body: string, isBase64Encoded: boolean) => {
    const headers = Object.fromEntries(linesOf(sign()))
    return judge({
      ...fromLambdaEvent({ ...form, headers, body, isBase64Encoded } as never, { https: true }),
      target: '/hook?id=42'
    })
  }
  const encoded = Buffer.from('{"price":10}').toString('base64')
  situation(
    `${name}: the body is passed on in base64`,
    'digest-mismatch',
    /it was encoded in base64, or not decoded/,
    () => receive(encoded, false)
  )
  situation(`${name}: the body is parsed and written again`, 'digest-mismatch', /as a JSON string/, () =>
    receive(JSON.stringify('{"price":10}'), false)
  )
}
