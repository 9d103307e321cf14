import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { dohTxtLookup } from '../../../src/doh/index.ts'
import { createVerifier, dnsTxtLookup, explain } from '../../../src/index.ts'
import type { DnsOutcome } from '../../support/dns-answer.ts'
import { startDnsServer } from '../../support/dns-server.ts'
import { type DohServer, startDohServer } from '../../support/doh-server.ts'
import { service } from '../../support/service.ts'

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
const codeOf = (lookup: Promise<unknown>): Promise<unknown> =>
  lookup.then(
    answer => answer,
    error => error.code
  )

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
  test('is a padded query of id 0 that asks for the AD bit, by POST', async () => {
    await ask({}, 'One._domainkey.SERVICE.example.')
    const [{ headers, query, url }] = server.seen as [(typeof server.seen)[0]]
    expect(url).toBe('/dns-query')
    expect(headers).toMatchObject({ accept: 'application/dns-message', 'content-type': 'application/dns-message' })
    expect(query.subarray(0, 12).toString('hex')).toBe('000001200001000000000001')
    expect(query.length).toBe(128)
    expect(query.toString('latin1')).toContain('\x03one\x0a_domainkey\x07service\x07example\0\0\x10\0\x01')
  })

  test('has a length of a multiple of 128, whatever the name', async () => {
    for (let length = 1; length <= 63; length++) await codeOf(ask({}, `${'x'.repeat(length)}.service.example`))
    for (const labels of [2, 4]) await codeOf(ask({}, `${'x'.repeat(62)}.`.repeat(labels)))
    expect(new Set(server.seen.map(({ query }) => query.length))).toEqual(new Set([128, 256, 384]))
  })

  test('is in the URL by GET, in base64url without padding, after the query of the URL', async () => {
    await dohTxtLookup({ url: `${server.url}?token=a%2Fb`, method: 'GET' })(NAME, { signal })
    const [{ headers, url }] = server.seen as [(typeof server.seen)[0]]
    expect(url).toMatch(/^\/dns-query\?token=a%2Fb&dns=[\w-]{171}$/)
    expect(headers).toMatchObject({ accept: 'application/dns-message', 'cache-control': 'no-cache' })
    expect(headers['content-type']).toBeUndefined()
  })

  test.each(['', '.', 'a..b', 'a b.example', 'ok.example\0.evil', `${'x'.repeat(64)}.example`, 'ä.example', 7])(
    'is nothing for the name %j',
    async name => {
      expect(await codeOf(ask({}, name as string))).toBe('EBADNAME')
      expect(server.seen).toEqual([])
    }
  )
})

describe('the answer', () => {
  test('is the same as from node:dns, octets beyond ASCII included', async () => {
    const dns = await startDnsServer(RECORDS)
    onTestFinished(dns.close)
    const native = dnsTxtLookup({ servers: [dns.address] })
    for (const name of Object.keys(RECORDS)) {
      expect(await ask({}, name)).toEqual(await native(name, { signal }))
    }
  })

  test('must have the AD bit when that is required, whether the name exists or not', async () => {
    const options = { requireAuthenticated: true }
    for (const outcome of ['nxdomain', 'nodata', undefined] as const) {
      if (outcome === undefined) server.outcomes.delete(NAME)
      else server.outcomes.set(NAME, outcome)
      server.authenticated.delete(NAME)
      expect(await codeOf(ask(options))).toBe('ENOTAUTHENTICATED')
      server.authenticated.add(NAME)
      expect(await codeOf(ask(options))).not.toBe('ENOTAUTHENTICATED')
    }
    server.authenticated.delete(NAME)
    expect(await ask({ requireAuthenticated: false })).toEqual(RECORDS[NAME])
    server.outcomes.set(NAME, 'servfail')
    expect(await codeOf(ask(options))).toBe('ESERVFAIL')
  })
})

describe('over HTTP', () => {
  const elsewhere = () => {
    let asked = 0
    return {
      asked: () => asked,
      start: async () => {
        const other = await startDohServer(RECORDS)
        onTestFinished(other.close)
        other.respond = (_, response) => {
          asked += 1
          response.end()
        }
        return other.url
      }
    }
  }

  test.each([301, 302, 303, 307, 308])('does not follow a redirect: %s', async status => {
    const other = elsewhere()
    const location = await other.start()
    server.respond = (_, response) => response.writeHead(status, { location }).end()
    for (const method of ['POST', 'GET'] as const) expect(await codeOf(ask({ method }))).toBe('EBADRESP')
    expect(other.asked()).toBe(0)
  })

  test.each([201, 204, 206, 400, 404, 415, 429, 500, 503])('rejects an answer with status %s', async status => {
    const good = await answerOf(server)
    server.respond = (_, response) =>
      response.writeHead(status, { 'content-type': 'application/dns-message' }).end(good)
    expect(await codeOf(ask())).toBe('EBADRESP')
  })

  test.each([
    ['application/dns-message', true],
    ['Application/DNS-Message ; charset=utf-8', true],
    ['application/dns-json', false],
    ['text/html', false],
    ['application/dns-message+x', false],
    ['', false]
  ])('judges the media type %j', async (type, isTaken) => {
    const good = await answerOf(server)
    server.respond = (_, response) => response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(good)
    expect(await codeOf(ask())).toEqual(isTaken ? RECORDS[NAME] : 'EBADRESP')
  })

  test('stops reading past 16,384 octets', async () => {
    let written = 0
    let closed: Promise<unknown> | undefined
    server.respond = (_, response) => {
      closed = once(response, 'close')
      response.writeHead(200, { 'content-type': 'application/dns-message' })
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

  test('has one deadline, for a body that stalls too', async () => {
    const good = await answerOf(server)
    server.respond = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/dns-message' })
      response.write(good.subarray(0, 10))
    }
    expect(await codeOf(ask({ timeout: 200 }))).toBe('ETIMEOUT')
  })

  test('keeps the deadline although fetch ignores its signal, and aborts the signal', async () => {
    let given: AbortSignal | undefined
    const fetch = ((_: string, init: RequestInit) => {
      given = init.signal!
      return new Promise(() => {})
    }) as typeof globalThis.fetch
    expect(await codeOf(ask({ fetch, timeout: 50 }))).toBe('ETIMEOUT')
    expect(given?.aborted).toBe(true)
  })

  test('ends when the caller no longer waits', async () => {
    server.outcomes.set(NAME, 'silence')
    const controller = new AbortController()
    const lookup = dohTxtLookup({ url: server.url })
    const asking = lookup(NAME, { signal: controller.signal })
    while (server.seen.length === 0) await wait(1)
    controller.abort()
    expect(await codeOf(asking)).toBe('ECANCELLED')
    expect(await codeOf(lookup(NAME, { signal: controller.signal }))).toBe('ECANCELLED')
    expect(server.seen).toHaveLength(1)
  })

  test('says ECONNREFUSED when the resolver is not reached, not even when its own name does not exist', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as { port: number }
    closed.close()
    await once(closed, 'close')
    expect(await codeOf(ask({ url: `http://127.0.0.1:${port}/` }))).toBe('ECONNREFUSED')
    expect(await codeOf(ask({ url: server.url.replace('http:', 'https:') }))).toBe('ECONNREFUSED') // no TLS there

    for (const code of ['ENOTFOUND', 'ENODATA', 'EAI_AGAIN', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']) {
      const cause = Object.assign(new Error(`getaddrinfo ${code} dns.example`), { code })
      for (const error of [cause, new TypeError('fetch failed', { cause })]) {
        const fetch = (async () => Promise.reject(error)) as typeof globalThis.fetch
        expect(['ECONNREFUSED', 'ETIMEOUT']).toContain(await codeOf(ask({ fetch })))
      }
    }
  })

  test('rejects when fetch throws or returns something else', async () => {
    const throwing = (() => {
      throw new Error('no')
    }) as typeof globalThis.fetch
    expect(await codeOf(ask({ fetch: throwing }))).toBe('ECONNREFUSED')
    const nothing = (async () => undefined) as unknown as typeof globalThis.fetch
    expect(await codeOf(ask({ fetch: nothing }))).toBe('ECONNREFUSED')
  })
})

describe('the options', () => {
  test.each([
    undefined,
    7,
    '',
    'dns.example',
    'http://dns.example/dns-query',
    'http://127.0.0.1.example/',
    'http://sub.localhost/',
    'ftp://dns.example/',
    'https://user:secret@dns.example/',
    'https://dns.example/#x',
    'https://dns.example/dns-query{?dns}'
  ])('refuse the url %j, and do not repeat it', url => {
    expect(() => dohTxtLookup({ url: url as string })).toThrow(TypeError)
    expect(() => dohTxtLookup({ url: url as string })).not.toThrow(/secret/)
  })

  test.each(['https://dns.example/dns-query', new URL('https://dns.example:8443/?a=b'), 'http://[::1]:80/'])(
    'take the url %s',
    url => {
      expect(dohTxtLookup({ url })).toBeTypeOf('function')
    }
  )

  test.each([
    { method: 'get' },
    { method: 'PUT' },
    { fetch: 'fetch' },
    { timeout: 0 },
    { timeout: 2 ** 31 },
    { requireAuthenticated: 'false' },
    { requireAuthenticate: true }
  ])('refuse %j', options => {
    expect(() => dohTxtLookup({ url: 'https://dns.example/', ...(options as object) })).toThrow(TypeError)
  })

  test('are own properties', () => {
    const polluted = Object.create({ url: 'https://evil.example/' })
    expect(() => dohTxtLookup(polluted)).toThrow('url is undefined')
  })

  test('use the fetch of the platform at the time of the call', async () => {
    const lookup = dohTxtLookup({ url: server.url })
    const { fetch } = globalThis
    onTestFinished(() => {
      globalThis.fetch = fetch
    })
    globalThis.fetch = (async () => Promise.reject(new Error('replaced'))) as typeof fetch
    expect(await codeOf(lookup(NAME, { signal }))).toBe('ECONNREFUSED')
  })
})

describe('a verifier that asks by DNS over HTTPS', () => {
  test('is unavailable without the AD bit where that is required, and says why', async () => {
    const request = service.sign()
    const [[name, records]] = Object.entries(service.records) as [[string, string[][]]]
    const own = await startDohServer({ [name]: records })
    onTestFinished(own.close)
    const verify = createVerifier({
      ...service.options,
      lookupTxt: dohTxtLookup({ url: own.url, requireAuthenticated: true })
    })
    const verdict = await verify(request)
    expect(verdict.status).toBe('unavailable')
    expect(verdict.failures[0]).toMatchObject({
      code: 'key-lookup-failed',
      evidence: { name, error: 'ENOTAUTHENTICATED' }
    })
    expect(explain(verdict)).toContain('ENOTAUTHENTICATED')
    own.outcomes.set(name, 'nxdomain')
    expect((await verify(service.sign())).status).toBe('unavailable')
    own.outcomes.clear()
    own.authenticated.add(name)
    expect((await verify(service.sign())).status).toBe('verified')
  })
})

/** The octets of a good answer for NAME. */
async function answerOf({ url }: DohServer): Promise<Buffer> {
  let answer = Buffer.alloc(0)
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await globalThis.fetch(input, init)
    answer = Buffer.from(await response.clone().arrayBuffer())
    return response
  }
  await dohTxtLookup({ url, fetch })(NAME, { signal })
  return answer
}
