import { describe, expect, test } from 'vitest'
import { client, failureOf, service, startServiceForEach } from './service.ts'

describe('identity and accepts', () => {
  startServiceForEach()
  const identities = () => service.calls.filter(call => call === 'GET /v4/identity').length

  test('the id and the whole body', async () => {
    expect(await client().identity()).toEqual({ accountId: '4711', raw: { ID: 4711, name: 'Example' } })
    expect(service.posts).toBe(1)
  })

  test('asks at each call; concurrent calls share the answer', async () => {
    const account = client()
    const [one, two] = await Promise.all([account.identity(), account.identity()])
    expect(two).toBe(one)
    expect(identities()).toBe(1)
    await account.identity()
    expect(identities()).toBe(2)
  })

  test('accepts the id without white space and prefix, as accounts would', async () => {
    service.identity = { data: { id: ' account-77 ' } }
    const account = client()
    expect(await account.accepts('77')).toBe(true)
    expect([account.accepts('account-77'), account.accepts('77')]).toEqual([false, true])
  })

  test('an id of selectAccountId gets the same form', async () => {
    service.identity = { user: { number: ' account-99\n' } }
    const selectAccountId = (raw: unknown) => (raw as { user: { number: string } }).user.number
    expect((await client({ selectAccountId }).identity()).accountId).toBe('99')
  })

  test('a token refused by the API: one new exchange, one more try', async () => {
    const account = client()
    await account.authorization()
    service.revoke(service.issued[0]!)
    expect((await account.identity()).accountId).toBe('4711')
    expect([service.posts, identities()]).toEqual([2, 2])
  })

  test('every token refused: two tries in all', async () => {
    service.apiFault = (_, res) => void res.writeHead(401).end()
    await expect(client().identity()).rejects.toMatchObject({ code: 'account-token-rejected', status: 401 })
    expect([service.posts, identities()]).toEqual([2, 2])
  })

  test('selectAccountId comes before the usual names', async () => {
    service.identity = { id: 'wrong', user: { number: 99 } }
    const selectAccountId = (raw: unknown) => String((raw as { user: { number: number } }).user.number)
    expect((await client({ selectAccountId }).identity()).accountId).toBe('99')
  })

  test.each<[string, (raw: unknown) => unknown]>([
    ['throws', raw => JSON.parse(`no JSON: ${JSON.stringify(raw)}`)],
    ['gives nothing', () => undefined],
    ['gives an empty string', () => ''],
    ['gives a promise', async () => '1']
  ])('selectAccountId %s', async (_, selectAccountId) => {
    const error = await failureOf(client({ selectAccountId: selectAccountId as () => string }).identity())
    expect(error).toMatchObject({ code: 'account-identity', retryable: false })
    expect(error.message).toMatch(/^selectAccountId found no account id .* ID, name\./)
    expect(error.cause).toBeUndefined()
  })

  test('without an id, the error names the fields', async () => {
    service.identity = { name: 'value-1', user: { number: 1.5 } }
    const error = await failureOf(client().identity())
    expect(error).toMatchObject({ name: 'AccountError', code: 'account-identity', retryable: false })
    expect(error.message).toContain(' fields are: name, user, user.number. ')
    expect(error.message).not.toContain('value-')
  })

  test('without an id, the error does not show a token, or a piece of one, in place of a name', async () => {
    service.mint = () => 'authorization-token-that-fits'
    service.accessToken = 'access-token-that-fits'
    service.apiFault = (req, res) => {
      const token = String(req.headers.authorization).slice(7)
      const keys = [token, `x${token}`, token.slice(3, 20), service.accessToken.slice(5), `x${service.accessToken}`]
      const object = Object.fromEntries(keys.map(key => [key, 1]))
      res.writeHead(200).end(JSON.stringify({ ...object, account: object }))
    }
    const { message } = await failureOf(client().identity())
    expect(message.match(/\(not shown\)/g)).toHaveLength(10)
    expect(message).not.toContain(service.issued[0]!.slice(3, 20))
    expect(message).not.toContain(service.accessToken.slice(5))
  })

  test.each([['{"id":1'], ['4711 is your id'], ['']])('an identity that is not JSON is an error: %s', async body => {
    service.apiFault = (_, res) => void res.writeHead(200).end(body)
    await expect(client().identity()).rejects.toMatchObject({ code: 'account-response', retryable: false })
  })

  test('accepts: fetched once, shared, then a plain boolean', async () => {
    const { accepts } = client()
    const first = ['4711', '4711', '471', '04711', ''].map(id => accepts(id))
    expect(first.every(answer => answer instanceof Promise)).toBe(true)
    expect(await Promise.all(first)).toEqual([true, true, false, false, false])
    expect(accepts('4711')).toBe(true)
    expect(accepts('4712')).toBe(false)
    expect([service.posts, identities()]).toEqual([1, 1])
  })

  test('accepts: knows an id from identity()', async () => {
    const account = client()
    await account.identity()
    expect(account.accepts('4711')).toBe(true)
  })

  test('accepts: a failure is a rejection for all who wait, and the next call tries again', async () => {
    const { accepts } = client()
    service.apiFault = (_, res) => void res.writeHead(500).end()
    const results = await Promise.allSettled([accepts('4711'), accepts('1')])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(identities()).toBe(1)
    service.apiFault = undefined
    expect(await accepts('4711')).toBe(true)
    expect(identities()).toBe(2)
  })
})
