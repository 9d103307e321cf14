import { once } from 'node:events'
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { dohTxtLookup } from '../../../src/doh/index.ts'
import { createVerifier, dnsTxtLookup, explain } from '../../../src/index.ts'
import type { DnsOutcome } from '../../support/dns-answer.ts'
import { startDnsServer } from '../../support/dns-server.ts'
import { type DohServer, startDohServer } from '../../support/doh-server.ts'
import { KEY_NAME } from '../../support/explain.ts'
import { freePort } from '../../support/free-port.ts'
import { service } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const NAME = 'one._domainkey.service.example'
const RECORDS = {
  [NAME]: [['v=DKIM1; p=', 'AB'], ['v=spf1 -all']],
  'binary.service.example': [['\xff\x80 caf\u00e9', ''], ['']],
  'long.service.example': [Array.from({ length: 40 }, () => 'x'.repeat(255))]
}
const { signal } = new AbortController()

let server: DohServer
beforeAll(async () => {
  server = await startDohServer(RECORDS)
  return server.close
})
afterEach(() => {
  server.respond = undefined
  server.outcomes.clear()
  server.authenticated.clear()
  server.seen.length = 0
})

const ask = (options: Partial<Parameters<typeof dohTxtLookup>[0]> = {}, name = NAME) =>
  dohTxtLookup({ url: server.url, ...options })(name, { signal })
const codeOf = (lookup: Promise<unknown>): Promise<unknown> => lookup.catch(error => error.code)
const fetchOf = (answer: (init: RequestInit) => unknown) =>
  ((_: string, init: RequestInit) => answer(init)) as typeof globalThis.fetch

/** Returns the octets of a good answer for NAME. */
const goodAnswer = (): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const fetch = async (...request: Parameters<typeof globalThis.fetch>) => {
      const response = await globalThis.fetch(...request)
      resolve(Buffer.from(await response.clone().arrayBuffer()))
      return response
    }
    dohTxtLookup({ url: server.url, fetch })(NAME, { signal }).catch(reject)
  })

describe.each(['POST', 'GET'] as const)('dohTxtLookup by %s', method => {
  test('answers with the strings of each record', async () => {
    expect(await ask({ method })).toEqual(RECORDS[NAME])
    expect(server.seen.map(request => request.method)).toEqual([method])
  })

  test.each<[DnsOutcome, string]>([
    ['nxdomain', 'ENOTFOUND'],
    ['nxdomain-behind-cname', 'ENOTFOUND'],
    ['nodata', 'ENODATA'],
    ['dangling-cname', 'ENODATA'],
    ['only-a', 'ENODATA'],
    ['servfail', 'ESERVFAIL'],
    ['refused', 'EREFUSED'],
    ['formerr', 'EFORMERR'],
    ['notimp', 'ENOTIMP'],
    ['malformed', 'EBADRESP'],
    ['truncated', 'EBADRESP'],
    ['silence', 'ETIMEOUT']
  ])('rejects %s with %s', async (outcome, code) => {
    server.outcomes.set(NAME, outcome)
    expect(await codeOf(ask({ method, timeout: outcome === 'silence' ? 200 : 5000 }))).toBe(code)
  })

  test('answers with an empty string where that is the record', async () => {
    server.outcomes.set(NAME, 'empty-string')
    expect(await ask({ method })).toEqual([['']])
  })

  test('asks for the name again each time', async () => {
    const lookup = dohTxtLookup({ url: server.url, method })
    await lookup(NAME, { signal })
    server.outcomes.set(NAME, 'nxdomain')
    expect(await codeOf(lookup(NAME, { signal }))).toBe('ENOTFOUND')
  })
})

describe('what is sent', () => {
  test('the query is padded, has id 0 and asks for the AD bit, by POST', async () => {
    await ask({}, 'One._domainkey.SERVICE.example.')
    const [{ headers, query, url }] = server.seen as [(typeof server.seen)[0]]
    expect(url).toBe('/dns-query')
    expect(headers).toMatchObject({ accept: 'application/dns-message', 'content-type': 'application/dns-message' })
    expect(query.subarray(0, 12).toString('hex')).toBe('000001200001000000000001')
    expect(query.length).toBe(128)
    expect(query.toString('latin1')).toContain('\x03one\x0a_domainkey\x07service\x07example\0\0\x10\0\x01')
  })

  test('the query has a length of a multiple of 128, whatever the name', async () => {
    for (let length = 1; length <= 63; length++) await codeOf(ask({}, `${'x'.repeat(length)}.service.example`))
    for (const labels of [2, 4]) await codeOf(ask({}, `${'x'.repeat(62)}.`.repeat(labels)))
    expect(new Set(server.seen.map(({ query }) => query.length))).toEqual(new Set([128, 256, 384]))
  })

  test('the query is in the URL by GET, in base64url without padding, after the query of the URL', async () => {
    await dohTxtLookup({ url: `${server.url}?token=a%2Fb`, method: 'GET' })(NAME, { signal })
    const [{ headers, url }] = server.seen as [(typeof server.seen)[0]]
    expect(url).toMatch(/^\/dns-query\?token=a%2Fb&dns=[\w-]{171}$/)
    expect(headers).toMatchObject({ accept: 'application/dns-message', 'cache-control': 'no-cache' })
    expect(headers['content-type']).toBeUndefined()
  })

  test.each(['', '.', 'a..b', 'a b.example', 'ok.example\0.evil', `${'x'.repeat(64)}.example`, 'ä.example', 7])(
    'nothing is sent for the name %j',
    async name => {
      expect(await codeOf(ask({}, name as string))).toBe('EBADNAME')
      expect(server.seen).toEqual([])
    }
  )
})

describe('the answer', () => {
  test('the answer is the same as from node:dns, octets beyond ASCII included', async () => {
    const dns = await startDnsServer(RECORDS)
    onTestFinished(dns.close)
    const native = dnsTxtLookup({ servers: [dns.address] })
    for (const name of Object.keys(RECORDS)) {
      expect(await ask({}, name)).toEqual(await native(name, { signal }))
    }
  })

  test('the answer must have the AD bit when that is required, whether the name exists or not', async () => {
    const options = { requireAuthenticated: true }
    for (const [outcome, found] of [
      ['nxdomain', 'ENOTFOUND'],
      ['nodata', 'ENODATA'],
      [undefined, RECORDS[NAME]]
    ] as const) {
      if (outcome !== undefined) server.outcomes.set(NAME, outcome)
      server.authenticated.delete(NAME)
      expect(await codeOf(ask(options))).toBe('ENOTAUTHENTICATED')
      server.authenticated.add(NAME)
      expect(await codeOf(ask(options))).toEqual(found)
      server.outcomes.clear()
    }
    server.authenticated.delete(NAME)
    expect(await ask({ requireAuthenticated: false })).toEqual(RECORDS[NAME])
    server.outcomes.set(NAME, 'servfail')
    expect(await codeOf(ask(options))).toBe('ESERVFAIL')
  })
})

describe('over HTTP', () => {
  test.each([301, 302, 303, 307, 308])('a redirect over HTTP is not followed: %s', async status => {
    const other = await startDohServer(RECORDS)
    onTestFinished(other.close)
    server.respond = (_, response) => response.writeHead(status, { location: other.url }).end()
    for (const method of ['POST', 'GET'] as const) expect(await codeOf(ask({ method }))).toBe('EBADRESP')
    expect(other.seen).toEqual([])
  })

  const TYPE = 'application/dns-message'
  /** Answers with a good body under another head. */
  async function respondWith(status: number, headers: Record<string, string>) {
    const good = await goodAnswer()
    server.respond = (_, response) => response.writeHead(status, headers).end(good)
  }

  test.each([201, 204, 206, 400, 404, 415, 429, 500, 503])('rejects an answer with status %s', async status => {
    await respondWith(status, { 'content-type': TYPE })
    expect(await codeOf(ask())).toBe('EBADRESP')
  })

  test.each([
    [TYPE, true],
    ['Application/DNS-Message ; charset=utf-8', true],
    ['application/dns-json', false],
    ['text/html', false],
    ['application/dns-message+x', false],
    ['', false]
  ])('judges the media type %j', async (type, isTaken) => {
    await respondWith(200, type === '' ? {} : { 'content-type': type })
    expect(await codeOf(ask())).toEqual(isTaken ? RECORDS[NAME] : 'EBADRESP')
  })

  test('stops reading past 16,384 octets', async () => {
    let written = 0
    let closed: Promise<unknown> | undefined
    server.respond = (_, response) => {
      closed = once(response, 'close')
      response.writeHead(200, { 'content-type': TYPE })
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) written += 16_384
        if (!response.destroyed) response.once('drain', write)
      }
      write()
    }
    expect(await codeOf(ask())).toBe('EBADRESP')
    await closed
    expect(written).toBeLessThan(50_000_000)
  })

  test('a lookup over HTTP has one deadline, for a body that stalls too', async () => {
    const good = await goodAnswer()
    server.respond = (_, response) => {
      response.writeHead(200, { 'content-type': TYPE }).write(good.subarray(0, 10))
    }
    expect(await codeOf(ask({ timeout: 200 }))).toBe('ETIMEOUT')
  })

  test('keeps the deadline although fetch ignores its signal, and aborts the signal', async () => {
    let given: AbortSignal | undefined
    const fetch = fetchOf(init => {
      given = init.signal!
      return new Promise(() => {})
    })
    expect(await codeOf(ask({ fetch, timeout: 50 }))).toBe('ETIMEOUT')
    expect(given?.aborted).toBe(true)
  })

  test('a lookup over HTTP ends when the caller no longer waits', async () => {
    server.outcomes.set(NAME, 'silence')
    const controller = new AbortController()
    const lookup = dohTxtLookup({ url: server.url })
    const asking = lookup(NAME, { signal: controller.signal })
    await until(() => server.seen.length > 0)
    controller.abort()
    expect(await codeOf(asking)).toBe('ECANCELLED')
    expect(await codeOf(lookup(NAME, { signal: controller.signal }))).toBe('ECANCELLED')
    expect(server.seen).toHaveLength(1)
  })

  test('says ECONNREFUSED when the resolver is not reached', async () => {
    expect(await codeOf(ask({ url: `http://127.0.0.1:${await freePort()}/` }))).toBe('ECONNREFUSED')
    expect(await codeOf(ask({ url: server.url.replace('http:', 'https:') }))).toBe('ECONNREFUSED') // no TLS there
  })

  test.each(['ENOTFOUND', 'ENODATA', 'EAI_AGAIN', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'])(
    "a lookup whose resolver's own name does not exist does not say that the key is missing: %s",
    async code => {
      const cause = Object.assign(new Error(`getaddrinfo ${code} dns.example`), { code })
      for (const error of [cause, new TypeError('fetch failed', { cause })]) {
        const found = await codeOf(ask({ fetch: fetchOf(() => Promise.reject(error)) }))
        expect(['ECONNREFUSED', 'ETIMEOUT']).toContain(found)
      }
    }
  )

  test('rejects when fetch throws or returns something else', async () => {
    const throwing = fetchOf(() => {
      throw new Error('no')
    })
    for (const fetch of [throwing, fetchOf(async () => undefined)])
      expect(await codeOf(ask({ fetch }))).toBe('ECONNREFUSED')
  })
})

describe('the options', () => {
  test.each([
    undefined,
    7,
    '',
    'dns.example',
    'ftp://dns.example/',
    'https://user:secret@dns.example/',
    'http://dns.example/dns-query',
    'http://127.0.0.1.example/',
    'http://sub.localhost/',
    'https://dns.example/#x',
    'https://dns.example/{dns}',
    'https://dns.example/dns-query{?dns}'
  ])('the option url refuses %j, and does not repeat it', url => {
    expect(() => dohTxtLookup({ url: url as string })).toThrow(TypeError)
    expect(() => dohTxtLookup({ url: url as string })).not.toThrow(/secret/)
  })

  test.each(['https://dns.example/dns-query', new URL('https://dns.example:8443/?a=b'), 'http://[::1]:80/'])(
    'the option url takes %s',
    url => expect(dohTxtLookup({ url })).toBeTypeOf('function')
  )

  test.each([
    { method: 'get' },
    { method: 'PUT' },
    { fetch: 'fetch' },
    { timeout: 0 },
    { timeout: 2 ** 31 },
    { requireAuthenticated: 'false' },
    { requireAuthenticate: true }
  ])('dohTxtLookup refuses the options %j', options => {
    expect(() => dohTxtLookup({ url: 'https://dns.example/', ...(options as object) })).toThrow(TypeError)
  })

  test.each<[object, string]>([
    [{ method: 'get' }, 'method is a string: pass "POST" or "GET"'],
    [{ timeout: 0 }, 'timeout is the number 0'],
    [{ requireAuthenticated: 'no' }, 'requireAuthenticated is a string'],
    [{ fetch: 'fetch' }, 'fetch is a string'],
    [{ url: undefined }, 'url is undefined'],
    [{ url: 5 }, 'such as "https://dns.example/dns-query"']
  ])('dohTxtLookup names the option of %j, and what to pass', (options, message) => {
    expect(() => dohTxtLookup({ url: 'https://dns.example/', ...options })).toThrow(message)
  })

  test.each(['#a', '{?dns}', '%7Bx', '?x=%7D'])('dohTxtLookup says why it refuses a URL with %s', end => {
    const message = /^url is a URL with a fragment or a template: leave out \{\?dns\}$/
    expect(() => dohTxtLookup({ url: `https://dns.example/${end}` })).toThrow(message)
  })

  test('a lookup may be called without a signal', async () => {
    const lookup = dohTxtLookup({ url: server.url, fetch: fetchOf(() => Promise.reject(new Error('no'))) })
    expect(await codeOf(lookup(NAME, undefined as never))).toBe('ECONNREFUSED')
  })

  test('dohTxtLookup takes only own properties as options', () => {
    const polluted = Object.create({ url: 'https://evil.example/' })
    expect(() => dohTxtLookup(polluted)).toThrow('url is undefined')
  })

  test('dohTxtLookup uses the fetch of the platform at the time of the call', async () => {
    const lookup = dohTxtLookup({ url: server.url })
    const { fetch } = globalThis
    onTestFinished(() => {
      globalThis.fetch = fetch
    })
    globalThis.fetch = fetchOf(() => Promise.reject(new Error('replaced')))
    expect(await codeOf(lookup(NAME, { signal }))).toBe('ECONNREFUSED')
  })
})

test('a verifier is unavailable without the AD bit where that is required, and says why', async () => {
  const own = await startDohServer(service.records)
  onTestFinished(own.close)
  const lookupTxt = dohTxtLookup({ url: own.url, requireAuthenticated: true })
  const verify = createVerifier({ ...service.options, lookupTxt })
  const verdict = await verify(service.sign())
  expect(verdict.status).toBe('unavailable')
  const evidence = { name: KEY_NAME, error: 'ENOTAUTHENTICATED' }
  expect(verdict.failures[0]).toMatchObject({ code: 'key-lookup-failed', evidence })
  expect(explain(verdict)).toContain('ENOTAUTHENTICATED')
  own.outcomes.set(KEY_NAME, 'nxdomain')
  expect((await verify(service.sign())).status).toBe('unavailable')
  own.outcomes.clear()
  own.authenticated.add(KEY_NAME)
  expect((await verify(service.sign())).status).toBe('verified')
})

test.each([
  ['https://dns.example/dns-query', 'dns.example'],
  ['https://dns.example:8443/dns-query', 'dns.example:8443'],
  ['https://[2001:db8::1]:8443/dns-query', '[2001:db8::1]:8443']
])('servers() of a lookup at %s names the host and its port', (url, server) => {
  expect(dohTxtLookup({ url }).servers?.()).toEqual([server])
})
