import { afterEach, beforeAll, expect, test } from 'vitest'
import { type DohTxtLookupOptions, dohTxtLookup } from '../../../src/doh/index.ts'
import { MAX_OCTETS } from '../../../src/doh/message.ts'
import type { DnsOutcome } from '../../support/dns-answer.ts'
import { type DohServer, startDohServer } from '../../support/doh-server.ts'

const NAME = 'one._domainkey.service.example'
const TYPE = 'application/dns-message'

let server: DohServer
beforeAll(async () => {
  server = await startDohServer({ [NAME]: [['v=DKIM1']] })
  return server.close
})
afterEach(() => server.outcomes.clear())

const errorOf = (options: Partial<DohTxtLookupOptions>, name = NAME): Promise<Error> =>
  dohTxtLookup({ url: server.url, ...options })(name, { signal: AbortSignal.timeout(50_000) }).then(
    () => expect.unreachable(),
    error => error
  )
const answering = (body: string | Uint8Array<ArrayBuffer>, type: string, status = 200) => ({
  fetch: async () => new Response(body, { status, headers: { 'content-type': type } })
})
const FAILED = new TypeError('fetch failed')

test.each<[string, Partial<DohTxtLookupOptions>, code: string, message: string, name?: string]>([
  ['a name that no DNS server has', {}, 'EBADNAME', 'the name is not one that DNS is asked for', 'a b.example'],
  [
    'a server that is not reached',
    { fetch: () => Promise.reject(FAILED) },
    'ECONNREFUSED',
    'the DNS server could not be reached'
  ],
  [
    'a server that is late',
    { fetch: () => new Promise(() => {}), timeout: 20 },
    'ETIMEOUT',
    'the DNS server did not reply within 20 ms'
  ],
  ['another status', answering('', TYPE, 404), 'EBADRESP', 'the DNS reply is unusable: its HTTP status is 404'],
  ['another type', answering('', 'text/html'), 'EBADRESP', `the DNS reply is unusable: it is not ${TYPE}`],
  [
    'a long reply',
    answering(new Uint8Array(MAX_OCTETS + 1), TYPE),
    'EBADRESP',
    `the DNS reply is unusable: it is longer than ${MAX_OCTETS} octets`
  ],
  [
    'bytes that are not DNS',
    answering(Uint8Array.of(1, 2, 3), TYPE),
    'EBADRESP',
    'the DNS reply is unusable: it is not a DNS message'
  ],
  [
    'a reply without the AD bit',
    { requireAuthenticated: true },
    'ENOTAUTHENTICATED',
    'no AD bit: an unsigned zone, or a resolver that does not validate'
  ]
])('the error for %s has a code and says what happened', async (_, options, code, message, name) => {
  expect(await errorOf(options, name)).toMatchObject({ code, message })
})

test.each<[DnsOutcome, code: string, message: string]>([
  ['nxdomain', 'ENOTFOUND', 'there is no such name'],
  ['nodata', 'ENODATA', 'there is no TXT record at the name'],
  ['servfail', 'ESERVFAIL', 'the DNS server failed: ESERVFAIL'],
  ['truncated', 'EBADRESP', 'the DNS reply is unusable: it is truncated']
])('the error for the reply %s has a code and says what happened', async (outcome, code, message) => {
  server.outcomes.set(NAME, outcome)
  expect(await errorOf({})).toMatchObject({ code, message })
})

test('an error of fetch or of the parser is the cause, and no other error has a cause', async () => {
  expect((await errorOf({ fetch: () => Promise.reject(FAILED) })).cause).toBe(FAILED)
  expect((await errorOf(answering(Uint8Array.of(1, 2, 3), TYPE))).cause).toBeInstanceOf(Error)
  expect(Object.hasOwn(await errorOf(answering('', TYPE, 404)), 'cause')).toBe(false)
})

test('a lookup without a signal waits for the reply', async () => {
  expect(await dohTxtLookup({ url: server.url })(NAME, undefined as never)).toEqual([['v=DKIM1']])
})

test('a fetch that is not a function is a mistake that shows how to write one', () => {
  expect(() => dohTxtLookup({ url: server.url, fetch: 1 as never })).toThrow(
    'fetch is the number 1: pass a function (url, init) => Promise<Response>'
  )
})
