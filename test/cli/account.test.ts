import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createVerifier } from '../../src/index.ts'
import { blocksOf } from '../meta/docs/pages.ts'
import { runInside } from '../support/run-cli.ts'
import { type Service, startService } from '../unit/account/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterEach(() => {
  service.authFault = undefined
  service.apiFault = undefined
  service.identity = { ID: 4711 }
})
afterAll(() => service.close())

const run = async (
  { token = service.accessToken, authUrl = service.authUrl, baseUrl = service.baseUrl, more = [] as string[] } = {},
  input = ''
) => {
  const args = ['account', '--auth-url', authUrl, '--base-url', baseUrl, ...more]
  // A variable that is empty is one that is not set: CI has it so.
  const finished = await runInside(args, input, false, { ACCESS_TOKEN: token })
  expect(finished.stdout + finished.stderr).not.toContain(service.accessToken)
  for (const issued of service.issued) expect(finished.stdout + finished.stderr).not.toContain(issued)
  return finished
}
const GOOD = { code: 0, stdout: '4711\n', stderr: '' }
const mistake = (message: string) => ({ code: 64, stdout: '', stderr: `signed-requests: ${message}\n` })

test('prints the account id, with the token from the environment or from standard input', async () => {
  expect(await run()).toEqual(GOOD)
  expect(await run({ token: '' }, `${service.accessToken}\r\n`)).toEqual(GOOD)
})

test('prints it for the command of docs/account.md, with the URLs of the service in it', async () => {
  const [block] = blocksOf('docs/account.md').filter(({ language }) => language === 'sh')
  const [, ...words] = block!.code.replaceAll('\\\n', ' ').trim().split(' npx signed-requests ')[1]!.split(/ +/)
  const urls: Record<string, string> = {
    'https://auth.service.example': service.authUrl,
    'https://api.service.example/v4': service.baseUrl
  }
  const args = words.map(word => urls[word] ?? word)
  expect(args).toContain(service.authUrl)
  expect(await runInside(['account', ...args], '', false, { ACCESS_TOKEN: service.accessToken })).toEqual(GOOD)
})

test('never takes the token as an argument', async () => {
  const args = ['account', '--auth-url', service.authUrl, '--base-url', service.baseUrl]
  for (const token of [['S3CRET'], ['--token', 'S3CRET'], ['--token=S3CRET'], ['--access-token', 'S3CRET']]) {
    const { code, stdout, stderr } = await runInside([...args, ...token])
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toContain('set ACCESS_TOKEN')
    expect(stderr).not.toContain('S3CRET')
  }
})

test('account needs a token', async () => {
  const message = 'there is no access token: set ACCESS_TOKEN, or give it on standard input'
  expect(await run({ token: '' }, ' \n')).toEqual(mistake(message))
})

describe('says what failed', () => {
  const REFUSED = /^signed-requests: the token: The authorization server refused the token \(HTTP \d+\)\.\n$/
  const NOTHING = /^signed-requests: the URL: The authorization server has nothing at this URL.*: is --auth-url right\?/

  test.each<[who: 'authFault' | 'apiFault', statuses: number[], code: number, says: RegExp]>([
    ['authFault', [400, 401, 403, 422], 1, REFUSED],
    ['authFault', [404, 405, 410], 64, NOTHING],
    ['authFault', [429], 2, /^signed-requests: the server: .* does not answer this call now/],
    ['authFault', [500, 503], 2, /^signed-requests: the server: /],
    ['apiFault', [302, 404], 64, /^signed-requests: the URL: The API /]
  ])('account says which status has failed: %s %j ends with %i', async (who, statuses, code, says) => {
    for (const status of statuses) {
      service[who] = (_, res) => void res.writeHead(status).end()
      expect([status, await run()]).toEqual([status, { code, stdout: '', stderr: expect.stringMatching(says) }])
    }
  })

  test('account says that a page answered instead of the service', async () => {
    service.authFault = (_, res) => void res.end('<!doctype html><p>hello</p>')
    expect(await run()).toMatchObject({ code: 64, stderr: expect.stringMatching(/^signed-requests: the URL: /) })
  })

  test('account names the fields of an identity without an id, and no value', async () => {
    service.identity = { user: { number: 'a b', secret: 'value-1' }, name: 'value-2', 'n\x1b[31m': 1 }
    expect(await run()).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'signed-requests: the answer: There is no account id under a usual name in the identity, whose fields are: ' +
        'user, name, (not shown), user.number, user.(not shown). Give --field to say where it is.\n'
    })
    expect((await run({ more: ['--field', 'user.number'] })).stderr).toBe(
      'signed-requests: the answer: --field found no account id in the identity, whose fields are: ' +
        'user, name, (not shown), user.number, user.(not shown).\n'
    )
  })

  test('account says that nothing listens', async () => {
    const stderr = /^signed-requests: the network: The connection to the authorization server failed/
    expect(await run({ authUrl: 'http://127.0.0.1:9/' })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(stderr)
    })
  })

  test('the command line: a URL that a token must not be sent to', async () => {
    const message = '--auth-url is not an https URL: http is for localhost, 127.0.0.0/8 and [::1] only'
    expect(await run({ authUrl: 'http://auth.service.example' })).toEqual(mistake(message))
  })
})

test.each<[identity: unknown, id: string, more?: string[]]>([
  [{ id: 'account-77' }, '77'],
  [{ ID: ' 77\n' }, '77'],
  [{ data: { ID: 77 } }, '77'],
  [{ result: { accountId: 'x-7' } }, 'x-7'],
  [{ id: 1, user: { number: 'account-99' } }, '99', ['--field', 'user.number']],
  [{ id: 1, accounts: [{ ID: 5 }] }, '5', ['--field=accounts.0.ID']]
])('prints of %j what accounts takes: %s', async (identity, id, more = []) => {
  service.identity = identity
  expect(await run({ more })).toEqual({ code: 0, stdout: `${id}\n`, stderr: '' })
  expect(() => createVerifier({ serviceDomain: 'service.example', hosts: 'a.example', accounts: id })).not.toThrow()
})

test.each(['user', 'user.name.x', '__proto__.id', 'constructor.name', 'user.', ''])(
  'finds no id at %j, and ends with 2',
  async path => {
    service.identity = { user: { name: 'n n' } }
    expect(await run({ more: [`--field=${path}`] })).toMatchObject({ code: 2, stdout: '' })
  }
)

test('takes an id that would control a terminal for none', async () => {
  service.identity = { ID: 'a\x1b[31m\u202eb' }
  expect(await run()).toMatchObject({ code: 2, stdout: '' })
})

test('never prints a token that the API returns in place of an id', async () => {
  service.apiFault = (req, res) => {
    const token = String(req.headers.authorization).slice(7)
    res.writeHead(200).end(JSON.stringify({ id: token, data: { [token]: token }, [service.accessToken]: 1 }))
  }
  // `run` looks for the tokens.
  expect(await run()).toMatchObject({ code: 2, stdout: '' })
  service.apiFault = (_, res) => void res.writeHead(200).end(JSON.stringify({ id: `account-${service.accessToken}` }))
  expect(await run()).toMatchObject({ code: 2, stdout: '' })
})
