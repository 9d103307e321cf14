import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync, gzipSync } from 'node:zlib'
import express from 'express'
import { describe, expect, it } from 'vitest'
import {
  createVerifier,
  type DiagnosedFailure,
  diagnose,
  explain,
  fromLambdaEvent,
  fromNodeRequest,
  type ReceivedRequest,
  type Verdict,
  type VerifierOptions
} from '../../../src/index.ts'
import { memoryReplayStore } from '../../../src/replay/index.ts'
import { rfc9421 } from '../../../src/rfc9421/index.ts'
import { createTestService, type SignRequest } from '../../../src/testing/index.ts'

const service = createTestService({ rsaBits: 1024 })
const KEY_NAME = 'key1._domainkey.service.example'
const JSON_TYPE = { 'Content-Type': 'application/json' }
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' }

const sign = (request: SignRequest = {}): ReceivedRequest =>
  service.sign({ method: 'POST', target: '/hook?id=42', body: '{"price":10}', ...request })

const judge = (request: ReceivedRequest, options: Partial<VerifierOptions> = {}): Promise<Verdict> =>
  createVerifier({ ...service.options, ...options })(request)

type Lines = readonly (readonly [string, string])[]
const linesOf = (request: ReceivedRequest) => [...(request.headers as Lines)]

/** The request with these header lines, and without those that are undefined. */
function withHeaders(
  request: ReceivedRequest,
  changes: Readonly<Record<string, string | undefined>>
): ReceivedRequest {
  const kept = linesOf(request).filter(([name]) => !(name in changes))
  const added = Object.entries(changes).filter((line): line is [string, string] => line[1] !== undefined)
  return { ...request, headers: [...kept, ...added] }
}

type Receive = (req: express.Request) => ReceivedRequest

/** The verdict on a request that came through Express with this middleware. */
async function through(
  signed: ReceivedRequest,
  middleware: readonly express.RequestHandler[],
  receive: Receive = req => fromNodeRequest(req, { https: true }),
  mount = '/'
): Promise<Verdict> {
  const app = express()
  let verdict: Promise<Verdict> | undefined
  const handle: express.RequestHandler = (req, res) => {
    verdict = judge(receive(req))
    verdict.finally(() => res.end())
  }
  app.use(mount, ...middleware, handle)
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
const raw = (req: express.Request) => fromNodeRequest(req, { https: true, body: req.body as Buffer })
const targetOf =
  (target: (req: express.Request) => string): Receive =>
  req => ({ ...fromNodeRequest(req, { https: true }), target: target(req) })

const rejects = (code: string) => () => Promise.reject(Object.assign(new Error('failed'), { code }))
const store = (claim: () => Promise<boolean>) => ({ replayStore: { claim, release: async () => {} } })
const record = (text: string) => ({ lookupTxt: async () => [[text]] })
const published = service.records[KEY_NAME]![0]!.join('')
const long = createTestService({ rsaBits: 2048 }).records[KEY_NAME]![0]!.join('')
const longRecord = (more: number) => long.replace('p=', `${' '.repeat(more)}p=`)
const minutes = (count: number) => new Date(Date.now() + count * 60_000)

interface Situation {
  code: DiagnosedFailure['code']
  cause: RegExp
  fix?: RegExp
  changed?: { line: number; signed: string }
  /** how many failures have a cause of their own, when it is not one */
  roots?: number
  verdict: () => Promise<Verdict>
}

const target = (path: string) => ({ line: 1, signed: `(request-target): post ${path}` })

const SITUATIONS: Readonly<Record<string, Situation>> = {
  // bodies
  'express.json() and JSON.stringify, from Python': {
    code: 'digest-mismatch',
    cause: /JSON parser/,
    verdict: () => through(sign({ body: '{"a": 1, "b": [1, 2]}' }), [express.json()], parsed(JSON.stringify))
  },
  'express.json() loses 1.0': {
    code: 'digest-mismatch',
    cause: /JSON parser/,
    verdict: () => through(sign({ body: '{"price":1.0,"id":7}' }), [express.json()], parsed(JSON.stringify))
  },
  'express.json() loses escapes': {
    code: 'digest-mismatch',
    cause: /JSON parser/,
    verdict: () => through(sign({ body: '{"name":"caf\\u00e9"}' }), [express.json()], parsed(JSON.stringify))
  },
  'express.json() twice serialized': {
    code: 'digest-mismatch',
    cause: /as a JSON string/,
    verdict: () => through(sign(), [express.text({ type: '*/*' })], parsed(JSON.stringify))
  },
  'a parsed body converted to a string': {
    code: 'digest-mismatch',
    cause: /converted to a string/,
    verdict: () => through(sign(), [express.json()], parsed(String))
  },
  'express.urlencoded() and URLSearchParams, from PHP': {
    code: 'digest-mismatch',
    cause: /form parser/,
    verdict: () =>
      through(
        sign({ body: 'a=b%20c&d=%C3%A9', headers: FORM_TYPE }),
        [express.urlencoded({ extended: false })],
        parsed(body => new URLSearchParams(body).toString())
      )
  },
  'express.urlencoded() and encodeURIComponent': {
    code: 'digest-mismatch',
    cause: /form parser/,
    verdict: () =>
      through(
        sign({ body: 'a=b+c', headers: FORM_TYPE }),
        [express.urlencoded({ extended: false })],
        parsed((body: { a: string }) => `a=${encodeURIComponent(body.a)}`)
      )
  },
  'express.text() with latin1': {
    code: 'digest-mismatch',
    cause: /read as Latin-1 and written as UTF-8/,
    verdict: () =>
      through(
        sign({ body: 'é', headers: { 'Content-Type': 'text/plain' } }),
        [express.text({ defaultCharset: 'latin1' })],
        parsed(String)
      )
  },
  'bytes read as text': {
    code: 'digest-mismatch',
    cause: /U\+FFFD/,
    verdict: () =>
      through(
        sign({ body: Buffer.from([0x89, 0x50, 0xff, 0xfe]), headers: { 'Content-Type': 'image/png' } }),
        [express.text({ type: '*/*' })],
        parsed(String)
      )
  },
  'express.raw() inflates gzip': {
    code: 'digest-mismatch',
    cause: /decompressed it .*gzip/,
    fix: /no parser in front/,
    verdict: () =>
      through(
        sign({
          body: gzipSync(`{"a":"${'b'.repeat(200)}"}`),
          headers: { 'Content-Encoding': 'gzip', ...JSON_TYPE }
        }),
        [express.raw({ type: '*/*' })],
        raw
      )
  },
  'a proxy inflates gzip and drops Content-Encoding': {
    code: 'digest-mismatch',
    cause: /decompressed, parsed .* longer than what was signed/,
    verdict: () => {
      const body = gzipSync(`{"a":"${'b'.repeat(200)}"}`)
      return judge({ ...sign({ body }), body: gunzipSync(body) })
    }
  },
  'a proxy drops Content-Encoding, which is signed': {
    code: 'coverage-absent',
    cause: /removed Content-Encoding: it decompressed/,
    verdict: () => {
      const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest', 'content-encoding']
      const signed = sign({ body: gzipSync('{}'), headers: { 'Content-Encoding': 'gzip' }, covered })
      return judge({ ...withHeaders(signed, { 'Content-Encoding': undefined }), body: '{}' })
    }
  },
  'a proxy drops the body with its length': {
    code: 'coverage-absent',
    cause: /removed Content-Length, which is signed: it dropped the body or sends it in chunks/,
    verdict: () => judge({ ...withHeaders(sign(), { 'Content-Length': undefined }), body: '' })
  },
  'a proxy drops a header with an underscore': {
    code: 'coverage-absent',
    cause: /dropped x_tenant: many drop names with an underscore/,
    fix: /underscores_in_headers on/,
    verdict: () => {
      const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest', 'x_tenant']
      return judge(withHeaders(sign({ headers: { x_tenant: 'a' }, covered }), { x_tenant: undefined }))
    }
  },
  'Lambda without the decoding of base64': {
    code: 'digest-mismatch',
    cause: /base64/,
    verdict: () => {
      const signed = sign()
      const body = Buffer.from('{"price":10}').toString('base64')
      const multiValueHeaders = Object.fromEntries(linesOf(signed).map(([name, value]) => [name, [value]]))
      const event = { httpMethod: 'POST', path: '/hook', multiValueHeaders, body, isBase64Encoded: false }
      return judge({
        ...fromLambdaEvent({ ...event, requestContext: { elb: {} } }, { https: true }),
        target: signed.target
      })
    }
  },
  'a body that was cut': {
    code: 'digest-mismatch',
    cause: /cut short .*: 6 of 12 bytes/,
    verdict: () => judge({ ...sign(), body: '{"pric' })
  },
  'a body that was read before': {
    code: 'digest-mismatch',
    cause: /body is empty/,
    verdict: () => judge({ ...sign(), body: '' })
  },
  'a capture without the body': {
    code: 'digest-mismatch',
    cause: /body is empty/,
    fix: /capture may not have the body/,
    verdict: () => judge({ ...sign(), body: null })
  },
  'a body added to a request that has none': {
    code: 'digest-mismatch',
    cause: /signed an empty body/,
    verdict: () => judge({ ...sign({ body: '' }), body: 'null' })
  },
  'a forged body': {
    code: 'digest-mismatch',
    cause: /^the body was changed after it was signed$/,
    verdict: () => judge({ ...sign(), body: '{"price":99}' })
  },
  'a newline that an editor removed': {
    code: 'digest-mismatch',
    cause: /newline at its end was removed/,
    verdict: () => judge({ ...sign({ body: '{}\n' }), body: '{}' })
  },
  'a body above the limit': {
    code: 'body-too-large',
    cause: /large body, or a flood/,
    fix: /now 4 bytes/,
    verdict: () => judge(sign(), { maxBodyBytes: 4 })
  },
  'a connection that broke': {
    code: 'body-unreadable',
    cause: /ECONNRESET/,
    verdict: () => {
      const body = { [Symbol.asyncIterator]: () => ({ next: rejects('ECONNRESET') }) }
      return judge({ ...sign(), body })
    }
  },

  // targets
  'a router strips its mount path': {
    code: 'signature-mismatch',
    cause: /took \/hooks off the path/,
    fix: /prefix: '\/hooks'/,
    changed: target('/hooks/hook?id=42'),
    verdict: () =>
      through(
        sign({ target: '/hooks/hook?id=42' }),
        [],
        targetOf(req => req.url),
        '/hooks'
      )
  },
  'a proxy strips a prefix, and says so': {
    code: 'signature-mismatch',
    cause: /took \/inbound\/acme off the path/,
    changed: target('/inbound/acme/hook?id=42'),
    verdict: () => {
      const signed = { ...sign({ target: '/inbound/acme/hook?id=42' }), target: '/hook?id=42' }
      return judge(withHeaders(signed, { 'X-Forwarded-Prefix': '/inbound/acme' }))
    }
  },
  ...Object.fromEntries(
    ['hooks', 'hook', 'webhook', 'webhooks', 'api', 'v1', 'v2', 'v3', 'v4', 'callback'].map(prefix => [
      `a proxy strips /${prefix}`,
      {
        code: 'signature-mismatch',
        cause: new RegExp(`took /${prefix} off the path`),
        changed: target(`/${prefix}/in`),
        verdict: () => judge({ ...sign({ target: `/${prefix}/in` }), target: '/in' })
      } satisfies Situation
    ])
  ),
  ...Object.fromEntries(
    [
      ['/hooks', '/'],
      ['/hooks/in?id=1', '//in?id=1'],
      ['/hooks?id=1', '/?id=1']
    ].map(([signed = '', received = '']) => [
      `a proxy makes ${received} of ${signed}`,
      {
        code: 'signature-mismatch',
        cause: /took \/hooks off the path and added a slash/,
        fix: /proxy_pass without a path/,
        changed: target(signed),
        verdict: () => judge({ ...sign({ target: signed }), target: received })
      } satisfies Situation
    ])
  ),
  'a proxy merges slashes': {
    code: 'signature-mismatch',
    cause: /slashes were merged/,
    changed: target('/hook//42?id=1//2'),
    verdict: () => judge({ ...sign({ target: '/hook//42?id=1//2' }), target: '/hook/42?id=1//2' })
  },
  'request.url of Fetch as the target': {
    code: 'signature-mismatch',
    cause: /the target is a whole URL/,
    changed: target('/hook?id=42'),
    verdict: () => judge({ ...sign(), target: 'https://receiver.example/hook?id=42' })
  },
  'a rewrite to another path, and the original in a header': {
    code: 'signature-mismatch',
    cause: /x-original-uri has the one that was signed/,
    changed: target('/hook?id=42'),
    verdict: () =>
      judge(withHeaders({ ...sign(), target: '/index.php' }, { 'X-Original-URI': '/hook?id=42' }))
  },
  'the query is dropped, and the original in a header': {
    code: 'signature-mismatch',
    cause: /query was dropped/,
    changed: target('/hook?id=42'),
    verdict: () => judge(withHeaders({ ...sign(), target: '/hook' }, { 'X-Forwarded-Uri': '/hook?id=42' }))
  },
  'req.path has no query': {
    code: 'signature-mismatch',
    cause: /key did make this signature/,
    fix: /a query dropped/,
    verdict: () =>
      through(
        sign(),
        [],
        targetOf(req => req.path)
      )
  },
  'the path is decoded': {
    code: 'signature-mismatch',
    cause: /decoded or encoded again/,
    changed: target('/a%20b%20c'),
    verdict: () =>
      through(
        sign({ target: '/a%20b%20c' }),
        [],
        targetOf(req => decodeURI(req.url))
      )
  },
  'the path in lower case': {
    code: 'signature-mismatch',
    cause: /^line 1 was changed after it was signed: capital letters were put in lower case$/,
    changed: target('/Acme/Hook?Id=1'),
    verdict: () => judge({ ...sign({ target: '/Acme/Hook?Id=1' }), target: '/acme/hook?Id=1' })
  },
  'Host in lower case': {
    code: 'signature-mismatch',
    cause: /^line 2 was changed after it was signed: capital letters were put in lower case$/,
    changed: { line: 2, signed: 'host: Receiver.Example' },
    verdict: () => judge(withHeaders(sign({ host: 'Receiver.Example' }), { Host: 'receiver.example' }))
  },
  'a cache sorts the query': {
    code: 'signature-mismatch',
    cause: /parameters of the query were put in another order/,
    changed: target('/hook?type=a&id=42&at=7&by=me'),
    verdict: () =>
      through(
        sign({ target: '/hook?type=a&id=42&at=7&by=me' }),
        [],
        targetOf(req => {
          const { pathname, searchParams } = new URL(req.url, 'http://x')
          searchParams.sort()
          return `${pathname}?${searchParams}`
        })
      )
  },
  'the target is rebuilt through URL': {
    code: 'signature-mismatch',
    cause: /decoded or encoded again/,
    changed: target('/a?b=c+d'),
    verdict: () => {
      const rebuild = (req: express.Request) => {
        const { pathname, searchParams } = new URL(req.url, 'http://x')
        return `${pathname}?${searchParams}`.replaceAll('+', '%20')
      }
      return through(sign({ target: '/a?b=c+d' }), [], targetOf(rebuild))
    }
  },
  'escapes in the other case': {
    code: 'signature-mismatch',
    cause: /decoded or encoded again/,
    changed: target('/caf%c3%a9'),
    verdict: () => judge({ ...sign({ target: '/caf%c3%a9' }), target: '/caf%C3%A9' })
  },
  'a redirect turns POST into GET': {
    code: 'signature-mismatch',
    cause: /redirect turned POST into GET/,
    changed: target('/hook?id=42'),
    verdict: () => judge({ ...sign(), method: 'GET' })
  },
  // headers
  'express sets a charset': {
    code: 'signature-mismatch',
    cause: /Content-Type was rewritten/,
    changed: { line: 5, signed: 'content-type: application/json' },
    verdict: () => judge(withHeaders(sign(), { 'Content-Type': 'application/json; charset=utf-8' }))
  },
  'Content-Length is rewritten': {
    code: 'signature-mismatch',
    cause: /Content-Length was rewritten/,
    changed: { line: 4, signed: 'content-length: 12' },
    verdict: () => judge(withHeaders(sign(), { 'Content-Length': '512' }))
  },
  'Host is another of ours': {
    code: 'signature-mismatch',
    cause: /replaced Host/,
    changed: { line: 2, signed: 'host: receiver.example' },
    verdict: () =>
      judge(withHeaders(sign(), { Host: 'www.receiver.example' }), {
        hosts: ['www.receiver.example', 'receiver.example']
      })
  },
  'Host without its port': {
    code: 'signature-mismatch',
    cause: /changed the port/,
    changed: { line: 2, signed: 'host: receiver.example:443' },
    verdict: () => judge(withHeaders(sign({ host: 'receiver.example:443' }), { Host: 'receiver.example' }))
  },
  'the lines of a header are joined otherwise': {
    code: 'signature-mismatch',
    cause: /joined, split or repeated/,
    changed: { line: 8, signed: 'x-nonce: a,b' },
    verdict: () => judge(withHeaders(sign({ headers: { 'X-Nonce': 'a,b' } }), { 'X-Nonce': 'a, b' }))
  },
  'another key under the same name': {
    code: 'signature-mismatch',
    cause: /another key made it/,
    verdict: () => judge(sign(), { lookupTxt: createTestService({ rsaBits: 1024 }).lookupTxt })
  },
  'an unsigned request of a scanner': {
    code: 'signature-missing',
    cause: /not signed, so it is not from the service/,
    verdict: () =>
      judge({ method: 'GET', target: '/.env', headers: [['Host', '10.0.0.5']], body: null, https: false })
  },
  'a proxy drops Signature': {
    code: 'signature-missing',
    cause: /a proxy dropped it/,
    verdict: () => judge(withHeaders(sign(), { Signature: undefined }))
  },
  'the signature is in Authorization': {
    code: 'signature-missing',
    cause: /^the signature is in Authorization, the other form of the draft, which is not read here$/,
    fix: /same parameters in a Signature header/,
    verdict: () => {
      const signed = sign()
      const signature = linesOf(signed).find(([name]) => name === 'Signature')![1]
      return judge(withHeaders(signed, { Signature: undefined, Authorization: `Signature ${signature}` }))
    }
  },
  'another kind of Authorization, and no signature': {
    code: 'signature-missing',
    cause: /a proxy dropped it/,
    verdict: () => judge(withHeaders(sign(), { Signature: undefined, Authorization: 'Bearer Signature' }))
  },
  'a proxy drops Digest': {
    code: 'digest-missing',
    cause: /a proxy dropped it/,
    verdict: () => judge(withHeaders(sign(), { Digest: undefined }))
  },
  'a proxy drops Date': {
    code: 'date-missing',
    cause: /a proxy or CDN dropped it/,
    verdict: () => judge(withHeaders(sign(), { Date: undefined }))
  },
  'Host is the address of the upstream': {
    code: 'host-mismatch',
    cause: /replaced Host with the address that it forwards to \(10\.0\.0\.5:3000\)/,
    fix: /only if the service calls you by that name/,
    verdict: () => judge(withHeaders(sign(), { Host: '10.0.0.5:3000' }))
  },
  'Host is the server_name of nginx for any name': {
    code: 'host-mismatch',
    cause: /^a proxy replaced Host with _, as nginx does with proxy_set_header Host \$server_name/,
    fix: /proxy_set_header Host \$http_host/,
    verdict: () => judge(withHeaders(sign(), { Host: '_' }))
  },
  'Host with a port that is not configured': {
    code: 'host-mismatch',
    cause: /the port differs/,
    verdict: () => judge(sign({ host: 'receiver.example:8443' }))
  },
  'a name that is not configured': {
    code: 'host-mismatch',
    cause: /another receiver, or a proxy replaced Host, or it is a name of yours/,
    verdict: () => judge(sign({ host: 'hooks.receiver.example' }))
  },
  'TLS ends at a proxy': {
    code: 'not-https',
    cause: /TLS ends at a proxy, or the sender used http/,
    verdict: () => judge({ ...sign(), https: false })
  },

  // accounts
  'the account is in another header': {
    code: 'account-missing',
    cause: /X-Acme-ID: account-1234 is there: is that it\?/,
    fix: /accountHeader: 'X-Acme-ID'/,
    verdict: () => {
      const acme = createTestService({ accountHeader: 'X-Acme-ID', rsaBits: 1024 })
      return judge(acme.sign(), { lookupTxt: acme.lookupTxt })
    }
  },
  'another account': {
    code: 'account-mismatch',
    cause: /another customer of the service, or for an account of yours/,
    verdict: () => judge(sign({ headers: { 'X-Service-ID': 'account-99' } }))
  },
  'a proxy replaces the account': {
    code: 'account-mismatch',
    cause: /or x-service-id was changed: the signature is not checked until the account fits$/,
    fix: /^If 99 is yours: .* If not, .* have proxies pass x-service-id on unchanged\.$/,
    verdict: () => judge(withHeaders(sign(), { 'X-Service-ID': 'account-99' }))
  },
  ...Object.fromEntries(
    ['account', ''].map(accountPrefix => [
      `accountPrefix is "${accountPrefix}"`,
      {
        code: 'account-mismatch',
        cause: /^a part of the prefix is left in (?:account)?-1234: is accountPrefix too short\?$/,
        fix: /leave it out for account-/,
        verdict: () => judge(sign(), { accountPrefix })
      } satisfies Situation
    ])
  ),
  'accountPrefix is a part, and a function decides': {
    code: 'account-mismatch',
    cause: /is accountPrefix too short/,
    verdict: () => judge(sign(), { accountPrefix: 'account', accounts: id => id === '1234' })
  },
  'the prefix is a part of each id': {
    code: 'account-mismatch',
    cause: /another customer of the service/,
    verdict: () => judge(sign(), { accountPrefix: '', accounts: ['account-99'] })
  },
  'accounts returns a row': {
    code: 'account-check-failed',
    cause: /does not return a boolean/,
    verdict: () => judge(sign(), { accounts: (() => ({ id: 1 })) as never })
  },
  'accounts throws': {
    code: 'account-check-failed',
    cause: /threw ECONNREFUSED/,
    verdict: () => judge(sign(), { accounts: rejects('ECONNREFUSED') })
  },

  // clocks
  'a request that was kept, or a clock that is fast': {
    code: 'date-too-old',
    cause: /10 minutes behind .* delayed or replayed, or this clock is fast/,
    fix: /date -u/,
    verdict: () => judge(sign({ date: minutes(-10) }))
  },
  'a clock that is slow': {
    code: 'date-in-future',
    cause: /10 minutes ahead .* sender's clock is fast, or this one is slow/,
    fix: /date -u/,
    verdict: () => judge(sign({ date: minutes(10) }))
  },

  'now() in seconds': {
    code: 'date-in-future',
    cause: /Jan 1970 .*\): now\(\) returns seconds, not milliseconds$/,
    fix: /^Return milliseconds since 1970/,
    verdict: () => judge(sign(), { now: () => Date.now() / 1000 })
  },
  'a machine that has no clock': {
    code: 'date-in-future',
    cause: /01 Jan 1970 .* or this one is slow/,
    verdict: () => judge(sign(), { now: () => 60_000 })
  },
  'Date is not signed': {
    code: 'coverage-insufficient',
    cause: /^the sender signs less than the service does$/,
    fix: /^Have the sender sign date, or anyone can change it\.$/,
    verdict: () => judge(sign({ covered: ['(request-target)', 'host', 'x-service-id', 'digest'] }))
  },
  'a name that only the receiver wants signed': {
    code: 'coverage-insufficient',
    cause: /a name is configured that the service does not sign/,
    fix: /check accountHeader and alsoCovered/,
    verdict: () => judge(sign(), { alsoCovered: ['x-tenant'] })
  },

  'the account header twice': {
    code: 'account-repeated',
    cause: /a proxy or the sender wrote it twice/,
    fix: /have proxies pass every header on unchanged/i,
    verdict: () => {
      const signed = service.sign()
      return judge({ ...signed, headers: [...signed.headers, ['X-Service-ID', 'account-1234']] })
    }
  },
  'a method of RFC 9421 in lower case': {
    code: 'signature-mismatch',
    cause: /the method was changed/,
    changed: { line: 1, signed: '"@method": POST' },
    verdict: () => judge({ ...sign({ scheme: 'rfc9421' }), method: 'post' }, { schemes: [rfc9421] })
  },

  // keys
  'the standard of RFC 9421': {
    code: 'signature-malformed',
    cause: /signed by RFC 9421/,
    verdict: () => judge(sign({ scheme: 'rfc9421' }))
  },
  'a good key below minRsaBits': {
    code: 'key-too-short',
    cause: /has 1024 bits, and minRsaBits is 4096: is that above what the service uses\?/,
    verdict: () => judge(sign(), { minRsaBits: 4096 })
  },
  'a good key above maxRsaBits': {
    code: 'key-too-long',
    cause: /has 1032 bits, and maxRsaBits is 1024/,
    verdict: () => {
      const long = createTestService({ rsaBits: 1032 })
      return judge(long.sign(), { lookupTxt: long.lookupTxt, maxRsaBits: 1024 })
    }
  },
  'the domain is the name of the key': {
    code: 'key-name-outside-domain',
    cause: /serviceDomain is the name of the key itself/,
    verdict: () => judge(sign(), { serviceDomain: KEY_NAME })
  },
  'another domain': {
    code: 'key-name-outside-domain',
    cause: /somebody else's key, or a wrong serviceDomain/,
    verdict: () => judge(sign(), { serviceDomain: 'other.example' })
  },
  'a key that is not published': {
    code: 'key-not-found',
    cause: /withdrawn, is not published yet/,
    verdict: () => judge(sign(), { lookupTxt: rejects('ENOTFOUND') })
  },
  'a name without TXT records': {
    code: 'key-not-found',
    cause: /^DNS has the name, and no TXT record there: /,
    verdict: () => judge(sign(), { lookupTxt: rejects('ENODATA') })
  },
  'another TXT record in the place of the key': {
    code: 'key-not-found',
    cause: /no key record there: .* a wildcard or another TXT record/,
    verdict: () => judge(sign(), record('v=spf1 -all'))
  },
  'a key that was revoked': {
    code: 'key-revoked',
    cause: /it was replaced/,
    verdict: () => judge(sign(), record('v=DKIM1; p='))
  },
  'a record that was cut': {
    code: 'key-unreadable',
    cause: /bad record/,
    verdict: () => judge(sign(), record(published.slice(0, -8)))
  },
  ...Object.fromEntries(
    [0, 1, 2, 3].map(more => [
      `a record that was cut at 255 characters, with ${more} before the key`,
      {
        code: 'key-unreadable',
        cause: /^the record was cut at 255 characters: only its first string is there$/,
        fix: /further strings/,
        verdict: () => judge(sign(), record(longRecord(more).slice(0, 255)))
      } satisfies Situation
    ])
  ),
  'a bad record of another length': {
    code: 'key-unreadable',
    cause: /bad record/,
    verdict: () => judge(sign(), record(longRecord(0).slice(0, 254)))
  },
  'a bad record of 255 characters that ends after its key': {
    code: 'key-unreadable',
    cause: /bad record/,
    verdict: () => judge(sign(), record(`${long.slice(0, 250)}; t=s`))
  },
  ...Object.fromEntries(
    [
      `"${published}"`,
      published.replace(/^(.{90})/, '$1" "'),
      `${published.slice(0, 40)}\\"${published.slice(40)}"`,
      published.replaceAll(';', '\\;')
    ].map((text, i) => [
      `a record in the form of a zone file, ${i + 1}`,
      {
        code: 'key-malformed',
        cause: /^the record has the quotes or backslashes of a zone file in its text$/,
        fix: /must publish the text without them/,
        verdict: () => judge(sign(), record(text))
      } satisfies Situation
    ])
  ),
  'DNS that does not answer': {
    code: 'key-lookup-failed',
    cause: /your DNS server.*ECONNREFUSED/,
    verdict: () => judge(sign(), { lookupTxt: rejects('ECONNREFUSED') })
  },
  'DNS that is slow': {
    code: 'key-lookup-timeout',
    cause: /your DNS server/,
    verdict: () => judge(sign(), { lookupTxt: () => new Promise(() => {}), lookupTimeout: 1 })
  },

  // replay
  'the same bytes again': {
    code: 'replayed',
    cause: /a retry of the sender .*, or an attack/,
    fix: /Nothing to mend if the first one was handled/,
    verdict: async () => {
      const verify = createVerifier({ ...service.options, replayStore: memoryReplayStore() })
      const signed = sign()
      await verify(signed)
      return verify(signed)
    }
  },
  'a store that is down': {
    code: 'replay-store-failed',
    cause: /the replay store failed: ECONNREFUSED/,
    verdict: () => judge(sign(), store(rejects('ECONNREFUSED')))
  },

  // what is configured here, and not what a sender or a proxy did
  'prefix is set, and nothing is stripped': {
    code: 'signature-mismatch',
    cause: /put something in front of the path, or prefix is set and nothing was taken off/,
    fix: /leave prefix out if nothing is taken off/,
    changed: target('/hook?id=42'),
    verdict: () => through(sign(), [], req => fromNodeRequest(req, { https: true, prefix: '/api' }))
  },
  'a lookupTxt function that returns strings': {
    code: 'key-lookup-failed',
    cause:
      /^your lookupTxt function does not return what DNS does: the answer is not of the form string\[\]\[\]/,
    fix: /as dns\.promises\.resolveTxt does/,
    verdict: () => judge(sign(), { lookupTxt: (async () => [published]) as never })
  },
  'X-Forwarded-Host that has the address of the application': {
    code: 'host-mismatch',
    cause: /the proxy writes another name into X-Forwarded-Host/,
    verdict: () =>
      through(withHeaders(sign(), { 'X-Forwarded-Host': '127.0.0.1:3000' }), [], req =>
        fromNodeRequest(req, { https: true, host: 'x-forwarded-host' })
      )
  },
  'X-Forwarded-Proto that says on': {
    code: 'not-https',
    cause: /X-Forwarded-Proto says on, which is neither http nor https/,
    fix: /proxy_set_header X-Forwarded-Proto \$scheme/,
    verdict: () =>
      through(withHeaders(sign(), { 'X-Forwarded-Proto': 'on' }), [], req =>
        fromNodeRequest(req, { https: 'x-forwarded-proto' })
      )
  },
  'a proxy that drops the account header, which is signed': {
    code: 'account-missing',
    cause: /^a proxy removed x-service-id, which is signed$/,
    verdict: () => judge(withHeaders(sign(), { 'X-Service-ID': undefined }))
  },
  'a keyId that is the domain': {
    code: 'key-name-outside-domain',
    cause: /the sender names serviceDomain itself as its key/,
    fix: /under service\.example/,
    verdict: () => {
      const signed = sign()
      const signature = linesOf(signed).find(([name]) => name === 'Signature')![1]
      return judge(withHeaders(signed, { Signature: signature.replace(KEY_NAME, 'service.example') }))
    }
  },
  'Host in capital letters': {
    code: 'signature-mismatch',
    cause: /a proxy replaced Host/,
    changed: { line: 2, signed: 'host: receiver.example' },
    verdict: () => judge(withHeaders(sign(), { Host: 'RECEIVER.EXAMPLE' }))
  }
}

describe('what must come first', () => {
  it.each(Object.entries(SITUATIONS))('%s', async (_, situation) => {
    const verdict = await situation.verdict()
    const diagnosis = diagnose(verdict)
    const [first, ...rest] = diagnosis.failures
    expect(first).toMatchObject({ code: situation.code, cause: expect.stringMatching(situation.cause) })
    expect(first?.changed).toEqual(
      situation.changed && { ...situation.changed, received: expect.any(String) }
    )
    if (situation.fix) expect(first?.fix).toMatch(situation.fix)
    expect(rest.filter(({ followsFrom }) => followsFrom === undefined)).toEqual([])
    expect(diagnosis.headline).toBe(first?.check)

    const inFlags = diagnose(verdict, { settings: 'flags' }).failures[0]!
    expect(inFlags.fix).not.toMatch(/\b(?:adapter|verify\.|req\.|express|through URL)\b|\w+: (?:'|\[)/)
    for (const { cause, fix } of [first!, inFlags]) {
      expect(`${cause} ${fix}`).not.toMatch(/(?<!== )undefined|\[\[|\|\||\{\w|null|NaN/)
    }
    if (situation.changed) expect(explain(verdict)).toMatch(/^rejected: signature\n\nchanged: line \d\n/)
  })
})
