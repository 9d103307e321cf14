import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findAccountId } from '../../../src/account/client.ts'
import { type AccountClientOptions, createAccountClient } from '../../../src/account/index.ts'
import { type Service, startService } from './service.ts'

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
  ])('%j', (raw, id) => {
    expect(findAccountId(raw)).toBe(id)
  })
})

describe('identity', () => {
  let service: Service
  beforeEach(async () => {
    service = await startService()
  })
  afterEach(async () => {
    expect(service.violations).toEqual([])
    await service.close()
  })
  const client = (options: Partial<AccountClientOptions> = {}) => {
    const { authUrl, baseUrl, accessToken } = service
    return createAccountClient({ authUrl, baseUrl, accessToken, ...options })
  }
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

  test('no id: says where it was looked for, and nothing of the response', async () => {
    service.identity = { name: 'value-1', account: { plan: 'value-3' } }
    const error = await client()
      .identity()
      .catch(error => error)
    expect(error).toMatchObject({ name: 'AccountError', code: 'account-identity', retryable: false })
    expect(error.message).toBe(
      'The identity has no account id under ID, id, account_id, accountId: look at what GET /identity responds.'
    )
  })

  test.each([['{"id":1'], ['4711 is your id'], ['']])('not JSON: %s', async body => {
    service.apiFault = (_, res) => void res.writeHead(200).end(body)
    await expect(client().identity()).rejects.toMatchObject({ code: 'account-response', retryable: false })
  })

  test('finds no id in JSON that is not an object', async () => {
    service.identity = 4711
    const { code, message } = await client()
      .identity()
      .catch(error => error)
    expect(code).toBe('account-identity')
    expect(message).toContain('no account id')
  })
})
