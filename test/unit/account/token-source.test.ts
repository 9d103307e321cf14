import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { client as clientOf, service, startServiceForEach } from './service.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

startServiceForEach()

let clock: number
beforeEach(() => {
  clock = Date.parse('2026-11-20T12:00:00Z')
  service.now = () => clock
})

const client = () => clientOf({ now: () => clock })
const jwt = (exp: unknown) =>
  `e30.${Buffer.from(JSON.stringify({ exp, jti: randomUUID() })).toString('base64url')}.c2ln`

test('1,000 callers at once: one exchange, one token', async () => {
  const account = client()
  const values = await Promise.all(Array.from({ length: 1000 }, () => account.authorization()))
  expect(service.posts).toBe(1)
  expect(new Set(values)).toEqual(new Set([`Bearer ${service.issued[0]}`]))
})

test('25 hours of a call each minute: two exchanges, and never an expired token', async () => {
  const account = client()
  for (let minute = 0; minute <= 25 * 60; minute++) {
    expect(service.accepts(await account.authorization()), `minute ${minute}`).toBe(true)
    clock += MINUTE
  }
  expect(service.posts).toBe(2)
})

test('the token is used until five minutes before its 24 hours end, and no longer', async () => {
  const account = client()
  const first = await account.authorization()
  clock += 24 * HOUR - 5 * MINUTE - 1
  expect(await account.authorization()).toBe(first)
  clock += 1
  expect(await account.authorization()).toBe(`Bearer ${service.issued[1]}`)
})

test.each([
  ['a JWT is renewed before its own exp', () => clock / 1000 + 3600, 55 * MINUTE],
  ['an unreadable exp is ignored', () => 'soon', 24 * HOUR - 5 * MINUTE]
])('%s', async (_, exp, age) => {
  service.mint = () => jwt(exp())
  const account = client()
  await account.authorization()
  clock += age - 1
  await account.authorization()
  expect(service.posts).toBe(1)
  clock += 1
  await account.authorization()
  expect(service.posts).toBe(2)
})

test('uses a token whose exp is past by our clock, without an exchange at every call', async () => {
  service.mint = () => jwt(clock / 1000 - 3600)
  const account = client()
  for (let hour = 0; hour < 23; hour++) {
    const values = await Promise.all([account.authorization(), account.authorization()])
    expect(values).toEqual(Array(2).fill(`Bearer ${service.issued[0]}`))
    clock += HOUR
  }
  expect(service.posts).toBe(1)
  clock += HOUR
  await account.authorization()
  expect(service.posts).toBe(2)
})

test('a clock that is set back causes one exchange, not a token that never expires', async () => {
  const account = client()
  await account.authorization()
  clock -= HOUR
  await account.authorization()
  await account.authorization()
  expect(service.posts).toBe(2)
  clock += 23 * HOUR
  await account.authorization()
  expect(service.posts).toBe(2)
})

test('does not remember a failed exchange, and rejects for every caller that waited', async () => {
  const account = client()
  service.authFault = (_, res) => void res.writeHead(503).end()
  const results = await Promise.allSettled([account.authorization(), account.authorization(), account.identity()])
  expect(results.map(result => result.status === 'rejected' && result.reason.code)).toEqual(
    Array(3).fill('account-server-error')
  )
  expect(service.posts).toBe(1)
  service.authFault = undefined
  expect(await account.authorization()).toBe(`Bearer ${service.issued[0]}`)
  expect(service.posts).toBe(2)
})

test('does not use the old token again after a failed renewal', async () => {
  const account = client()
  await account.authorization()
  clock += 24 * HOUR
  service.authFault = (_, res) => void res.writeHead(500).end()
  await expect(account.authorization()).rejects.toMatchObject({ code: 'account-server-error' })
  service.authFault = undefined
  expect(await account.authorization()).toBe(`Bearer ${service.issued[1]}`)
})

test('two clients share nothing', async () => {
  const [one, two] = [client(), client()]
  const values = await Promise.all([one.authorization(), two.authorization()])
  expect(new Set(values).size).toBe(2)
  expect(service.posts).toBe(2)
})

test('sends an access token with form characters unchanged', async () => {
  service.accessToken = 'a+b c&access_token=d%20/é=='
  expect(await client().authorization()).toBe(`Bearer ${service.issued[0]}`)
})

test.each([
  ['application/json', (token: string) => JSON.stringify(token)],
  ['application/json; charset=utf-8', (token: string) => JSON.stringify({ authorization_token: token })],
  ['application/vnd.service+json', (token: string) => JSON.stringify({ token })],
  ['text/html; charset=utf-8', (token: string) => token],
  ['application/jwt', (token: string) => `${token}\n`],
  ['application/octet-stream', (token: string) => JSON.stringify({ jwt: token })],
  [undefined, (token: string) => JSON.stringify({ access_token: token })]
])('the answer as %s', async (type, write) => {
  service.answer = (res, token) => res.writeHead(200, type ? { 'content-type': type } : {}).end(write(token))
  expect(await client().authorization()).toBe(`Bearer ${service.issued[0]}`)
})
