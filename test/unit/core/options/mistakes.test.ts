import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createAccountClient } from '../../../../src/account/index.ts'
import { DEFAULTS } from '../../../../src/core/options/options.ts'
import {
  assertVerified,
  createVerifier,
  dnsTxtLookup,
  explain,
  fromFetchRequest,
  fromLambdaEvent,
  fromNodeRequest,
  httpStatus,
  logRecord,
  type ReceivedRequest
} from '../../../../src/index.ts'
import { memoryReplayStore, redisReplayStore } from '../../../../src/replay/index.ts'
import { service } from '../../../support/service.ts'

const required = { serviceDomain: 'service.example', hosts: 'hooks.example.com', accounts: '1234' }

const passed = (request: object | undefined) => () => createVerifier(service.options)(request as ReceivedRequest)

const unset = process.env['SIGNED_REQUESTS_TEST_UNSET']
const nodeRequest = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', url: '/hook' })
const fetchRequest = new Request('https://hooks.example.com/hook')
const promise = Promise.resolve()

/** @param parts what was received … what is expected, or wrong with it … what to write instead */
async function expectMistake(make: () => unknown, parts: string): Promise<void> {
  const error = await new Promise<void>(resolve => resolve(make() as never)).then(
    () => 'nothing was thrown',
    (thrown: unknown) => thrown
  )
  expect(error).toBeInstanceOf(TypeError)
  const { message } = error as TypeError
  for (const part of parts.split(' … ')) expect(message).toContain(part)
  expect(message).toMatch(/^[ -~]+$/)
}
/** The name states the mistake, and who made it. */
const mistake = (name: string, make: () => unknown, parts: string) =>
  test(`${name}: says what was received, what is expected and what to write instead`, () => expectMistake(make, parts))

const SECONDS = 'a number of seconds, at least 0 and at most 86400'
test.each<[options: object, parts: string]>([
  [{ requireHTTPS: false }, '"requireHTTPS" … no option … requireHttps'],
  [{ serviceDomain: unset }, 'undefined … environment variable … "service.example"'],
  [{ serviceDomain: 'https://a.example' }, '"https://a.example" … the domain … "service.example"'],
  [{ serviceDomain: 'com' }, '"com" … a single label … "service.example"'],
  [{ hosts: unset }, 'undefined … environment variable … "hooks.example.com"'],
  [{ hosts: [unset] }, 'undefined … environment variable … "hooks.example.com"'],
  [
    { hosts: 'https://a.example:8443/hook' },
    '"https://a.example:8443/hook" … without scheme, path … "hooks.example.com"'
  ],
  [
    { hosts: ['c.example', 'a.example, b.example'] },
    '"a.example, b.example" … each host name by itself … "hooks.example.com"'
  ],
  [{ hosts: ' a.example' }, '" a.example" … without scheme, path, white space … "hooks.example.com"'],
  [{ hosts: '*.a.example' }, '"*.a.example" … without scheme, path, white space or wildcards … each host name'],
  [{ hosts: [] }, 'an empty array … each host name … "hooks.example.com"'],
  [{ accounts: unset }, 'undefined … environment variable … "1234"'],
  [{ accounts: '' }, '"" … non-empty string … "1234"'],
  [{ accounts: 5678 }, 'the number 5678 … a non-empty string … "5678"'],
  [{ accounts: ['1', 5678] }, 'the number 5678 … a non-empty string … "5678"'],
  [{ accounts: '1234 ' }, '"1234 " … white space … write "1234"'],
  [{ accounts: ['1234\n'] }, '"1234\\n" … white space … write "1234"'],
  [{ accounts: 'account-1234' }, '"account-1234" … prefix "account-" … the id alone, "1234"'],
  [{ accounts: '1234,5678' }, '"1234,5678" … write each id by itself'],
  [{ accounts: promise }, 'a Promise … is an await missing? … such as "1234"'],
  [{ accountHeader: 'X-Brand-ID:' }, '"X-Brand-ID:" … name of a header … "X-Service-ID"'],
  [{ accountPrefix: /account-/ }, 'an object … pass a string … "account-"'],
  [{ requireHttps: 'false' }, 'is a string … requireHttps … true or false'],
  [{ dateTolerance: 300_000 }, `the number 300000 … ${SECONDS} … such as ${DEFAULTS.dateTolerance}`],
  [{ dateTolerance: '300' }, `is a string … ${SECONDS} … such as ${DEFAULTS.dateTolerance}`],
  [{ algorithms: 'ed25519' }, 'is a string … an array of … rsa-sha256'],
  [{ algorithms: ['rsa-md5'] }, '"rsa-md5" … must be one of … rsa-sha256'],
  [{ schemes: ['cavage'] }, '[a string] … an array of … draftCavage'],
  [{ alsoCovered: 'content-type' }, '"content-type" … an array of header names … ["content-type"]'],
  [{ minRsaBits: 1023 }, 'the number 1023 … a number of bits … at least 1024 … such as 1024'],
  [{ minRsaBits: 512, maxRsaBits: 1024 }, 'the number 512 … at least 1024'],
  [{ minRsaBits: 8193 }, '8193 … above maxRsaBits … 8192'],
  [{ lookupTimeout: 0 }, 'the number 0 … at least 1 … such as 5000'],
  [{ lookupTxt: dnsTxtLookup }, 'a function … is a call missing? … pass dnsTxtLookup()'],
  [{ replayStore: memoryReplayStore }, 'a function … is a call missing? … memoryReplayStore()'],
  [{ replayStore: new Map() }, 'an object … claim(id, token, ttlSeconds) … memoryReplayStore()'],
  [{ now: 5 }, 'the number 5 … a function … () => milliseconds since 1970']
])('createVerifier(%o) says what was received, what is expected and what to write instead', (options, parts) =>
  expectMistake(() => createVerifier({ ...required, ...options } as never), parts)
)

const ofNode = (options: object) => () => fromNodeRequest(nodeRequest, options)
const dates = { ...service.options, now: (() => 'now') as never }
const urls = { authUrl: 'https://a.example', baseUrl: 'https://a.example' }
const misspelled = { maxEntires: 1 } as never

mistake('no options', () => createVerifier(undefined as never), 'undefined … options … serviceDomain, hosts, accounts')
mistake(
  'a clock of Dates',
  () => createVerifier(dates)(service.sign()),
  'now() returned a string … return milliseconds … since 1970'
)
mistake(
  'nothing to verify',
  passed(undefined),
  'undefined … { method, target, headers, body, https } … fromNodeRequest(req)'
)
mistake(
  'an adapter that was awaited too late',
  passed(promise),
  'a Promise … is an await missing? … fromFetchRequest(request)'
)
mistake(
  'the wrong adapter for req',
  () => fromFetchRequest(nodeRequest as never),
  'takes a Request … fromNodeRequest()'
)
mistake(
  'the wrong adapter for a Request',
  () => fromNodeRequest(fetchRequest as never),
  'takes the request object of node:http … fromFetchRequest()'
)
mistake(
  'another event of Lambda',
  () => fromLambdaEvent({ Records: [] } as never),
  'the event of an HTTP request … the first argument of the handler'
)
mistake(
  'an adapter option in capitals',
  ofNode({ https: 'X-Forwarded-Proto' }),
  '"X-Forwarded-Proto" … options.https … write true, false or "x-forwarded-proto"'
)
mistake(
  'a URL as the host',
  ofNode({ host: 'https://a.example' }),
  '"https://a.example" … options.host … "hooks.example.com"'
)
mistake(
  'a parsed body for an adapter',
  ofNode({ body: { id: 1 } }),
  'a parsed body … bytes as sent … { body: req => req.rawBody } to nodeHandler() … express.json({ verify:'
)

for (const take of [httpStatus, explain, assertVerified, logRecord]) {
  const given = (value: unknown) => () => take(value as never)
  const { name } = take
  mistake(`${name} without await`, given(promise), `a Promise … an await is missing … ${name}(await verify(request))`)
  mistake(
    `${name} with another object`,
    given({ status: 200 }),
    'an object … takes a verdict … the verdict of verify(request)'
  )
  mistake(`${name} with nothing`, given(undefined), 'undefined … takes a verdict … the verdict of verify(request)')
}

mistake(
  'a DNS server with a name',
  () => dnsTxtLookup({ servers: ['dns.example'] }),
  'servers … not an IP address … "127.0.0.1:5353"'
)
mistake('a misspelled limit of a store', () => memoryReplayStore(misspelled), '"maxEntires" … no option … maxEntries')
mistake(
  'a Redis client of another kind',
  () => redisReplayStore({} as never),
  'client is an object … node-redis … ioredis'
)
mistake('an account client without its token', () => createAccountClient(urls as never), 'accessToken')
