import { describe, expect, test } from 'vitest'
import { findAccountId } from '../../../src/account/api.ts'
import { client, failureOf, service, startServiceForEach } from './service.ts'

describe('where the id is', () => {
  test.each<[unknown, string | undefined]>([
    [{ ID: 'a', id: 'b', account_id: 'c', accountId: 'd', account: { ID: 'e' } }, 'a'],
    [{ id: 'b', account_id: 'c', accountId: 'd' }, 'b'],
    [{ account_id: 'c', accountId: 'd' }, 'c'],
    [{ accountId: 'd', account: { ID: 'e' } }, 'd'],
    [{ account: { ID: 'e', id: 'f' } }, 'e'],
    [{ account: { accountId: 'g' } }, 'g'],
    [{ ID: 1234 }, '1234'],
    [{ id: 0 }, '0'],
    [{ id: Number.MAX_SAFE_INTEGER }, '9007199254740991'],
    [{ ID: '', id: null, account_id: {}, accountId: 7 }, '7'],
    [{ id: 2 ** 53 }, undefined],
    [{ id: 1.5 }, undefined],
    [{ id: true }, undefined],
    [{ id: '' }, undefined],
    [{ id: ['1'] }, undefined],
    [{ account: 1234 }, undefined],
    [{ account: { account: { id: 1 } } }, undefined],
    [JSON.parse('{"__proto__":{"id":"1"}}'), undefined],
    [Object.create({ id: '1' }), undefined],
    [[{ id: 1 }], undefined],
    [1234, undefined],
    ['1234', undefined],
    [null, undefined],
    [{}, undefined]
  ])('%j', (raw, id) => expect(findAccountId(raw)).toBe(id))
})

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

  const thousand = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`field${n}`, n]))
  const named = { name: 'value-1', e_mail: 'value-2', account: { plan: 'value-3' }, 'a b': 'value-4' }
  test.each([
    [
      'the field names, not their values',
      named,
      ': name, e_mail, account, (not shown), account.plan. Give selectAccountId'
    ],
    ['no names of a text', { account: 'value-1' }, 'fields are: account. Give selectAccountId'],
    ['a few of a thousand long names', { ...thousand, ['x'.repeat(1000)]: 1, account: thousand }, 'and 1962 more'],
    ['none where the JSON is not an object', 4711, '(none)']
  ])('no id: lists %s', async (_, identity, part) => {
    service.identity = identity
    const error = await failureOf(client().identity())
    expect(error).toMatchObject({ name: 'AccountError', code: 'account-identity', retryable: false })
    expect(error.message).toContain(part)
    expect(error.message).not.toContain('value-')
    expect(error.message.length).toBeLessThan(1000)
  })

  test('no id: does not show a token, or a piece of one, in place of a name', async () => {
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

  test.each([['{"id":1'], ['4711 is your id'], ['']])('not JSON: %s', async body => {
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
