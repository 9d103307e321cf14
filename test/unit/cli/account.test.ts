import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { blocksOf } from '../../meta/docs/pages.ts'
import { runInside } from '../../support/run-cli.ts'
import { type Service, startService } from '../account/service.ts'

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
  { token = service.accessToken, authUrl = service.authUrl, baseUrl = service.baseUrl } = {},
  input = ''
) => {
  const args = ['account', '--auth-url', authUrl, '--base-url', baseUrl]
  const finished = await runInside(args, input, false, token === '' ? {} : { ACCESS_TOKEN: token })
  expect(finished.stdout + finished.stderr).not.toContain(service.accessToken)
  for (const issued of service.issued) expect(finished.stdout + finished.stderr).not.toContain(issued)
  return finished
}
const status = (code: number) => (_: unknown, res: { writeHead(code: number): { end(): void } }) =>
  res.writeHead(code).end()

test('prints the account id, with the token from the environment or from standard input', async () => {
  expect(await run()).toEqual({ code: 0, stdout: '4711\n', stderr: '' })
  expect(await run({ token: '' }, `${service.accessToken}\r\n`)).toEqual({ code: 0, stdout: '4711\n', stderr: '' })
})

test('prints it for the command of docs/account.md, with the URLs of the service in it', async () => {
  const [block] = blocksOf('docs/account.md').filter(({ language }) => language === 'sh')
  const [, ...words] = block!.code.trim().split(' npx signed-requests ')[1]!.split(' ')
  const urls: Record<string, string> = {
    'https://auth.service.example': service.authUrl,
    'https://api.service.example/v4': service.baseUrl
  }
  const args = words.map(word => urls[word] ?? word)
  expect(args).toContain(service.authUrl)
  const finished = await runInside(['account', ...args], '', false, { ACCESS_TOKEN: service.accessToken })
  expect(finished).toEqual({ code: 0, stdout: '4711\n', stderr: '' })
})

test('never takes the token as an argument', async () => {
  const args = ['account', '--auth-url', service.authUrl, '--base-url', service.baseUrl, 'some-token']
  expect(await runInside(args)).toMatchObject({ code: 64, stdout: '' })
})

test('needs a token', async () => {
  expect(await run({ token: '' }, ' \n')).toEqual({
    code: 64,
    stdout: '',
    stderr: 'signed-requests: there is no access token: set ACCESS_TOKEN, or give it on standard input\n'
  })
})

describe('says what failed', () => {
  test.each([400, 401, 403, 422])('the token: the authorization server answers %i', async code => {
    service.authFault = status(code)
    const finished = await run()
    expect(finished.stderr).toMatch(
      /^signed-requests: the token: The authorization server refused the token \(HTTP \d+\)\.\n$/
    )
    expect(finished.code).toBe(1)
  })

  test.each([404, 405, 410])('the URL: the authorization server answers %i', async code => {
    service.authFault = status(code)
    const finished = await run()
    expect(finished.stderr).toMatch(
      /^signed-requests: the URL: The authorization server has nothing at this URL.*: is --auth-url right\?/
    )
    expect(finished.code).toBe(64)
  })

  test.each([404, 302])('the URL: the API answers %i', async code => {
    service.apiFault = status(code)
    const finished = await run()
    expect(finished.stderr).toMatch(/^signed-requests: the URL: The API /)
    expect(finished.code).toBe(64)
  })

  test('the URL: a page, or an identity without an id', async () => {
    service.authFault = (_, res) => void res.end('<!doctype html><p>hello</p>')
    expect(await run()).toMatchObject({ code: 64, stderr: expect.stringMatching(/^signed-requests: the URL: /) })
    service.authFault = undefined
    service.identity = { name: 'x' }
    expect(await run()).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/^signed-requests: the URL: .*no account id/)
    })
  })

  test('the server, or only now: 500, 503, 429', async () => {
    for (const code of [500, 503, 429]) {
      service.authFault = status(code)
      expect((await run()).code).toBe(2)
    }
  })

  test('the network: nothing listens', async () => {
    const finished = await run({ authUrl: 'http://127.0.0.1:9/' })
    expect(finished.stderr).toMatch(/^signed-requests: the network: The connection to the authorization server failed/)
    expect(finished.code).toBe(2)
  })

  test('the command line: a URL that a token must not be sent to', async () => {
    expect(await run({ authUrl: 'http://auth.service.example' })).toEqual({
      code: 64,
      stdout: '',
      stderr: 'signed-requests: --auth-url must be an https URL: http is for localhost, 127.0.0.0/8 and [::1] only\n'
    })
  })
})

test('shows an id with escapes as text', async () => {
  service.identity = { ID: 'a\x1b[31m\u202eb' }
  expect((await run()).stdout).toBe('a\\x1b[31m\\u202eb\n')
})
