import { describe, expect, test } from 'vitest'
import { apiUrl } from '../../../src/account/request.ts'
import { until } from '../../support/until.ts'
import { client, failureOf, service, startOtherServer, startServiceForEach } from './service.ts'

describe('a path stays below baseUrl', () => {
  const base = 'https://api.service.example/v4'
  test.each([
    ['/identity', `${base}/identity`],
    ['identity', `${base}/identity`],
    ['/', `${base}/`],
    ['', `${base}/`],
    ['/a/b?x=1&y=//z/../..#f', `${base}/a/b?x=1&y=//z/../..`],
    ['?page=2', `${base}/?page=2`],
    ['/a/../b', `${base}/b`],
    ['/a b', `${base}/a%20b`],
    ['/a..b/...', `${base}/a..b/...`],
    ['/items:batch', `${base}/items:batch`],
    ['/a%2Fb', `${base}/a%2Fb`],
    ['/@evil.example', `${base}/@evil.example`],
    ['@evil.example', `${base}/@evil.example`],
    [' https://evil.example', `${base}/%20https://evil.example`]
  ])('a path stays below baseUrl: %j', (path, url) => expect(apiUrl(base, path)).toBe(url))

  test.each([
    // another origin
    'https://evil.example/',
    'https://api.service.example/v4/identity',
    'HTTPS:evil.example',
    'javascript:0',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example/',
    // above the path of baseUrl
    '..',
    '/..',
    '/../v3/identity',
    '/../v4x',
    'a/../../..//evil.example',
    // the same, in another form
    '/%2e%2e/x',
    '/.%2E/x',
    '/..\\x',
    '/a\\..\\..\\x',
    '/.\t./x',
    '/..%2fx',
    '/a%5c%2e%2e%2fx',
    '/..;/x',
    '/..%2F',
    '/x%2f..'
  ])('refused: %j', path => {
    expect(() => apiUrl(base, path)).toThrow(TypeError)
    // A base that is only a host has no path to climb above, but the host must stay the same.
    let url: URL
    try {
      url = new URL(apiUrl('https://api.service.example', path))
    } catch {
      return
    }
    expect(url.origin).toBe('https://api.service.example')
  })
})

describe('fetch', () => {
  startServiceForEach()
  /** Counts exchanges, and calls of the API. */
  const counts = () => [service.posts, service.calls.length]
  /** Returns the counts when the service no longer accepts the token of this client. */
  const revokedAt = async (account: ReturnType<typeof client>) => {
    await account.authorization()
    service.revoke(service.issued.at(-1)!)
    return counts()
  }
  const refuseAll = () => {
    service.apiFault = (_, res) => void res.writeHead(401, { 'x-first': 'yes' }).end('refused')
  }

  test('sends method, query, headers and body, and replaces Authorization', async () => {
    const pairs: [string, string][] = Object.entries({ AUTHORIZATION: 'Basic x', 'x-own': '1' })
    for (const headers of [{ authorization: 'Basic x', 'X-Own': '1' }, pairs, new Headers(pairs)]) {
      const response = await client().fetch('/things?a=1', { method: 'PUT', headers, body: 'text' })
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({
        method: 'PUT',
        url: '/v4/things?a=1',
        body: 'text',
        headers: { authorization: `Bearer ${service.issued.at(-1)}`, 'x-own': '1' }
      })
    }
  })

  test('fetch does not change init', async () => {
    const init = Object.freeze({ headers: Object.freeze({ 'x-own': '1' }), body: 'b', method: 'POST' })
    const account = client()
    await account.fetch('/one', init)
    expect((await account.fetch('/two', init)).status).toBe(200)
    expect(init).toEqual({ headers: { 'x-own': '1' }, body: 'b', method: 'POST' })
  })

  test('a 401: one new exchange and one more try, with the same body', async () => {
    const form = new FormData()
    form.append('a', '1')
    const bodies: [NonNullable<RequestInit['body']>, type: string, text: RegExp][] = [
      ['text', 'text/plain;charset=UTF-8', /^text$/],
      [new URLSearchParams({ a: '1' }), 'application/x-www-form-urlencoded;charset=UTF-8', /^a=1$/],
      [new TextEncoder().encode('bytes'), 'undefined', /^bytes$/],
      [new TextEncoder().encode('buffer').buffer as ArrayBuffer, 'undefined', /^buffer$/],
      [new Blob(['blob'], { type: 'text/x-blob' }), 'text/x-blob', /^blob$/],
      [form, 'multipart/form-data; boundary=', /name="a"\r\n\r\n1\r\n/]
    ]
    const account = client()
    for (const [body, type, text] of bodies) {
      const before = await revokedAt(account)
      const response = await account.fetch('/things', { method: 'POST', body })
      expect(response.status).toBe(200)
      const echo = (await response.json()) as { body: string; headers: Record<string, string> }
      expect(echo.body).toMatch(text)
      expect(String(echo.headers['content-type'])).toContain(type)
      expect(counts()).toEqual([before[0]! + 1, before[1]! + 2])
    }
  })

  test('a 401 without a body: one new exchange and one more try', async () => {
    let calls = 0
    const fetch = async (url: string | URL | Request, init?: RequestInit) =>
      String(url).startsWith(service.baseUrl) && calls++ === 0
        ? new Response(null, { status: 401 })
        : globalThis.fetch(url, init)
    expect((await client({ fetch }).fetch('/things')).status).toBe(200)
    expect(counts()).toEqual([2, 1])
  })

  test('returns a second 401', async () => {
    refuseAll()
    const response = await client().fetch('/things')
    expect(response.status).toBe(401)
    expect(await response.text()).toBe('refused')
    expect(counts()).toEqual([2, 2])
  })

  // The limit is short: the garbage collector would close the connection too, seconds later. On a busy machine, one try
  // of four is enough.
  test('frees the connection of the first 401', { timeout: 3000, retry: 3 }, async () => {
    let closed: Promise<unknown> | undefined
    service.apiFault = (req, res) => {
      service.apiFault = undefined
      closed = new Promise(resolve => req.socket.once('close', resolve))
      res.writeHead(401).write('a body that never ends')
    }
    expect((await client().fetch('/things')).status).toBe(200)
    await closed
  })

  test('100 calls refused at once: one new exchange', async () => {
    const account = client()
    await revokedAt(account)
    const responses = await Promise.all(Array.from({ length: 100 }, () => account.fetch('/things')))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(service.posts).toBe(2)
    await Promise.all(responses.map(response => response.text()))
  })

  test('a late 401 about an old token leaves the new one in use', async () => {
    const account = client()
    await account.authorization()
    let answerLate: (() => void) | undefined
    service.apiFault = (_, res) => {
      answerLate = () => void res.writeHead(401).end()
    }
    const late = account.fetch('/late')
    await until(() => answerLate)
    service.apiFault = undefined
    service.revoke(service.issued[0]!)
    expect((await account.fetch('/things')).status).toBe(200)
    expect(service.posts).toBe(2)
    answerLate?.()
    expect((await late).status).toBe(200)
    expect(service.posts).toBe(2)
  })

  test('counts the same token text as a new token', async () => {
    service.mint = () => 'always-the-same'
    refuseAll()
    const account = client()
    await Promise.all(Array.from({ length: 20 }, () => account.fetch('/things').then(response => response.text())))
    expect(service.posts).toBe(2)
    expect(service.calls).toHaveLength(40)
  })

  test('sends a stream once, returns the 401, and uses a new token for the next call', async () => {
    const stream = () => new Blob(['streamed']).stream()
    const generator = async function* () {
      yield new TextEncoder().encode('streamed')
    }
    const account = client()
    for (const body of [stream, generator] as (() => NonNullable<RequestInit['body']>)[]) {
      const before = await revokedAt(account)
      const response = await account.fetch('/things', { method: 'POST', body: body() })
      expect(response.status).toBe(401)
      await response.text()
      expect(counts()).toEqual([before[0], before[1]! + 1])
      const again = await account.fetch('/things', { method: 'POST', body: body() })
      expect(await again.json()).toMatchObject({ method: 'POST', body: 'streamed' })
      expect(service.posts).toBe(before[0]! + 1)
    }
  })

  test('returns a redirect, wherever it leads', async () => {
    const otherServer = await startOtherServer()
    const inits = [{}, { redirect: 'follow' as const }, { redirect: 'error' as const }]
    for (const status of [301, 302, 303, 307, 308]) {
      for (const location of [`${otherServer.origin}/`, '/v4/elsewhere']) {
        service.apiFault = (_, res) => void res.writeHead(status, { location }).end()
        for (const init of inits) {
          const response = await client().fetch('/things', init)
          expect([response.status, response.headers.get('location')]).toEqual([status, location])
        }
      }
    }
    expect(otherServer.requests).toEqual([])
    expect(new Set(service.calls)).toEqual(new Set(['GET /v4/things']))
    otherServer.close()
  })

  test('starts no exchange and sends nothing for a path out of baseUrl', async () => {
    const account = client()
    const evil = 'https://evil.example/'
    for (const path of [evil, '//evil.example', '/../x', undefined, new URL(evil)]) {
      await expect(account.fetch(path as string)).rejects.toThrow(TypeError)
    }
    expect(counts()).toEqual([0, 0])
  })

  test("a mistake in init is the caller's TypeError, before any exchange", async () => {
    const account = client()
    const mistakes: unknown[] = [{ body: 'x' }, { method: 'CONNECT' }, { headers: { 'a b': '1' } }, null, 'GET']
    for (const init of mistakes) {
      await expect(account.fetch('/things', init as RequestInit)).rejects.toThrow(TypeError)
    }
    expect(service.posts).toBe(0)
  })

  test('rejects with the error of a failed exchange', async () => {
    service.authFault = (_, res) => void res.writeHead(403).end()
    await expect(client().fetch('/things')).rejects.toMatchObject({ code: 'account-token-rejected', status: 403 })
    expect(service.calls).toEqual([])
  })

  test('rejects with account-network when the connection fails', async () => {
    service.apiFault = req => void req.socket.destroy()
    expect(await failureOf(client().fetch('/things'))).toMatchObject({ code: 'account-network', retryable: true })
  })

  test('fetch does not repeat a token that fetch throws as a string', async () => {
    const thrower: typeof fetch = async (url, init) => {
      if (String(url).startsWith(service.authUrl)) return fetch(url, init)
      throw `failed with ${new Headers(init?.headers).get('authorization')}`
    }
    const error = await failureOf(client({ fetch: thrower }).fetch('/things'))
    expect(error).toMatchObject({ code: 'account-network' })
  })

  test('a signal ends the wait for the API', async () => {
    const controller = new AbortController()
    service.apiFault = () => {}
    const call = client().fetch('/things', { signal: controller.signal })
    await until(() => service.calls.length === 1)
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
  })

  test('a signal ends the wait for a token, not the exchange that others wait for', async () => {
    const controller = new AbortController()
    let release: (() => void) | undefined
    service.answer = (res, token) => {
      release = () => void res.end(token)
    }
    const account = client()
    const other = account.authorization()
    const call = account.fetch('/things', { signal: controller.signal })
    await until(() => release)
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    release?.()
    expect(await other).toBe(`Bearer ${service.issued[0]}`)
    expect(counts()).toEqual([1, 0])
  })

  test('starts no exchange for a signal that is already aborted', async () => {
    let sent = 0
    const counting: typeof fetch = (url, init) => fetch(url, { ...init, body: `${++sent}` })
    const call = client({ fetch: counting }).fetch('/things', { signal: AbortSignal.abort(new Error('enough')) })
    await expect(call).rejects.toThrow('enough')
    expect(sent).toBe(0)
  })
})
