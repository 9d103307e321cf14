import { inspect } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { type AccountClientOptions, createAccountClient } from '../../../src/account/index.ts'
import { expectNoSecret } from './leaks.ts'

const secret = 'access-0f6c1a7e-secret'
const good: AccountClientOptions = {
  authUrl: 'https://auth.service.example',
  baseUrl: 'https://api.service.example/v4',
  accessToken: secret
}

function expectMistake(options: unknown, message: RegExp): unknown {
  try {
    createAccountClient(options as AccountClientOptions)
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).toMatch(message)
    expectNoSecret(error, [secret])
    return error
  }
  return expect.fail('nothing was thrown')
}

describe('a bad option is refused at once, without repeating it', () => {
  const bad: [string, unknown, RegExp][] = [
    ['no options', undefined, /authUrl, baseUrl, accessToken/],
    ['null', null, /authUrl, baseUrl, accessToken/],
    ['accessToken missing', { ...good, accessToken: undefined }, /accessToken is /],
    ['accessToken empty', { ...good, accessToken: '' }, /accessToken is /],
    ['accessToken blank', { ...good, accessToken: '  ' }, /accessToken is /],
    ['accessToken with a line end', { ...good, accessToken: `${secret}\n` }, /control characters/],
    ['accessToken with NUL', { ...good, accessToken: `${secret}\0` }, /control characters/],
    [
      'accessToken with a control character of Latin-1',
      { ...good, accessToken: `${secret}\x85` },
      /control characters/
    ],
    ['timeout zero', { ...good, timeout: 0 }, /timeout/],
    ['timeout negative', { ...good, timeout: -1 }, /timeout/],
    ['timeout NaN', { ...good, timeout: Number.NaN }, /timeout/],
    ['timeout infinite', { ...good, timeout: Number.POSITIVE_INFINITY }, /timeout/],
    ['timeout beyond a timer', { ...good, timeout: 2 ** 31 }, /timeout/],
    ['timeout a string', { ...good, timeout: '5000' }, /timeout/],
    ['fetch', { ...good, fetch: 'fetch' }, /fetch is .* pass a function/],
    ['now', { ...good, now: 1_700_000_000_000 }, /now is .* pass a function/],
    ['selectAccountId', { ...good, selectAccountId: 'id' }, /selectAccountId is .* pass a function/]
  ]
  test.each(bad)(
    'a bad option is refused at once, without repeating it: %s',
    (_, options, message) => void expectMistake(options, message)
  )

  const urls: [unknown, RegExp][] = [
    [undefined, /is undefined \(is the environment variable/],
    [7, /is the number 7/],
    ['', /is "" \(is the environment variable/],
    ['service.example/v4', /absolute URL/],
    ['/v4', /absolute URL/],
    [' https://service.example', /white space/],
    ['https://service.example\n', /white space/],
    ['https://service.ex\tample', /white space/],
    ['https:\\\\service.example', /white space/],
    ['https://service.example/?', /a query or a fragment/],
    [`https://service.example/?token=${secret}`, /a query or a fragment/],
    ['https://service.example/#', /a query or a fragment/],
    [`https://${secret}@service.example`, /user name or password/],
    [`https://user:${secret}@service.example`, /user name or password/],
    [`https://:${secret}@service.example`, /user name or password/],
    ['http://service.example', /https/],
    ['http://localhost.service.example', /https/],
    ['http://api.localhost', /https/],
    ['http://127.0.0.1.service.example', /https/],
    ['http://128.0.0.1', /https/],
    ['http://[::2]', /https/],
    ['http://0.0.0.0', /https/],
    ['ftp://localhost', /https/],
    ['file:///etc/passwd', /https/]
  ]
  for (const name of ['authUrl', 'baseUrl']) {
    test.each(urls)(`${name}: %s`, (url, message) => {
      expect(String(expectMistake({ ...good, [name]: url }, message))).toContain(name)
    })
  }
})

test.each([
  'http://localhost:8080',
  'http://LOCALHOST',
  'http://127.0.0.1',
  'http://127.255.22.33:1/x',
  'http://2130706433',
  'http://[::1]:3000'
])('plain http is for loopback: %s', url => {
  expect(() => createAccountClient({ ...good, authUrl: url, baseUrl: url })).not.toThrow()
})

describe('the URL that is asked', () => {
  const asked = (auth: string, base: string) => [`https://${auth}`, `https://${base}/identity`]
  const cases: [authUrl: string, baseUrl: string, asked: string[]][] = [
    ['https://auth.example', 'https://api.example', asked('auth.example/', 'api.example')],
    ['https://auth.example/', 'https://api.example/', asked('auth.example/', 'api.example')],
    ['https://x.example/auth', 'https://x.example/v4', asked('x.example/auth/', 'x.example/v4')],
    ['https://x.example/auth//', 'https://x.example/a/v4/', asked('x.example/auth/', 'x.example/a/v4')]
  ]
  test.each(cases)('the URLs of the client follow from %s and %s', async (authUrl, baseUrl, asked) => {
    const urls: string[] = []
    const fetch = async (url: unknown) => {
      urls.push(String(url))
      return urls.length === 1 ? new Response('token') : Response.json({ id: 1 })
    }
    await createAccountClient({ ...good, authUrl, baseUrl, fetch }).identity()
    expect(urls).toEqual(asked)
  })
})

test('calls the functions in the options without this', async () => {
  const fetch = vi.fn(async url => (String(url).endsWith('identity') ? Response.json({}) : new Response('token')))
  const [now, selectAccountId] = [vi.fn(() => 0), vi.fn(() => '1')]
  const account = createAccountClient({ ...good, fetch, now, selectAccountId })
  await account.identity()
  await account.fetch('/things')
  for (const { mock } of [fetch, now, selectAccountId]) {
    expect(mock.contexts).not.toHaveLength(0)
    expect(new Set(mock.contexts)).toEqual(new Set([undefined]))
  }
})

test('the client shows [redacted] and has no secret to reach', async () => {
  const token = 'authorization-5b1d-secret'
  const client = createAccountClient({ ...good, fetch: async () => new Response(token) })
  expect(await client.authorization()).toBe(`Bearer ${token}`)
  expect(inspect(client)).toBe('AccountClient [redacted]')
  expect(inspect({ deep: { client } }, { showHidden: true })).toContain('[redacted]')
  expect(JSON.stringify({ client })).toBe('{"client":"[redacted]"}')
  expect(Object.keys(client)).toEqual(['authorization', 'identity', 'fetch', 'accepts'])
  expectNoSecret(client, [secret, token])
})
