import { describe, expect, test } from 'vitest'
import { identityError } from '../../../src/account/account-id.ts'
import { networkError, responseError, statusError } from '../../../src/account/errors.ts'
import { type AccountClientOptions, AccountError, createAccountClient } from '../../../src/account/index.ts'
import { messageIn } from '../../../src/core/mistakes.ts'

const AUTH = 'https://auth.service.example'
const API = 'https://api.service.example/v4'

/** Makes a client of servers with these answers; the authorization server gives the token `abc` by default. */
function client(answers: { auth?: () => Response | Promise<Response>; api?: () => Response | Promise<Response> }) {
  const fetch = async (url: unknown) =>
    String(url).startsWith(AUTH) ? (answers.auth ?? (() => new Response('abc')))() : answers.api!()
  const options = { authUrl: AUTH, baseUrl: API, accessToken: 'the-access-token', timeout: 20, fetch }
  return createAccountClient(options as AccountClientOptions)
}
const failureOf = (promise: Promise<unknown>): Promise<AccountError> =>
  promise.then(
    () => expect.unreachable(),
    error => error
  )

const json = (text: string) => () => new Response(text, { headers: { 'content-type': 'application/json' } })
const silent = () => new Promise<never>(() => {})

describe('the error of a call says what happened', () => {
  test.each<[string, Parameters<typeof client>[0], object]>([
    [
      'a token that is not one',
      { auth: json('{}') },
      {
        name: 'AccountError',
        code: 'account-response',
        retryable: false,
        message:
          "The authorization server's response cannot be used: it is not a token as text, a JSON string or a JSON object."
      }
    ],
    [
      'an identity that is not JSON',
      { api: () => new Response('<p>') },
      { code: 'account-response', message: "The API's response cannot be used: the identity is not JSON." }
    ],
    [
      'a large identity',
      { api: () => new Response('x'.repeat(65_537)) },
      { code: 'account-response', message: "The API's response cannot be used: it is larger than 65536 bytes." }
    ],
    [
      'an image',
      { api: () => new Response('{}', { headers: { 'content-type': 'image/png' } }) },
      {
        code: 'account-response',
        message: "The API's response cannot be used: its content type is neither text nor JSON."
      }
    ],
    [
      'bytes that are not UTF-8',
      { api: () => new Response(Uint8Array.of(0xff)) },
      { code: 'account-response', message: "The API's response cannot be used: it is not UTF-8." }
    ],
    [
      'no answer',
      { auth: silent },
      {
        code: 'account-timeout',
        retryable: true,
        message: 'The authorization server did not answer within 20 ms.'
      }
    ]
  ])('the error of a call says what happened: %s', async (_, answers, expected) => {
    const error = await failureOf(client(answers).identity())
    expect(error).toBeInstanceOf(AccountError)
    expect(error).toMatchObject(expected)
  })

  test.each<[Parameters<typeof statusError>, code: string, retryable: boolean, message: string]>([
    [['API', 500], 'account-server-error', true, 'The API failed (HTTP 500).'],
    [['API', 401], 'account-token-rejected', false, 'The API refused the token (HTTP 401).'],
    [['API', 403], 'account-token-rejected', false, 'The API refused the token (HTTP 403).'],
    [['API', 425], 'account-response', true, 'The API does not answer this call now: try again later (HTTP 425).'],
    [['API', 400], 'account-response', false, wrongUrl('API', 'baseUrl', 400)],
    [
      ['authorization server', 400],
      'account-token-rejected',
      false,
      'The authorization server refused the token (HTTP 400).'
    ],
    [['authorization server', 399], 'account-response', false, wrongUrl('authorization server', 'authUrl', 399)],
    [['authorization server', 404], 'account-response', false, wrongUrl('authorization server', 'authUrl', 404)],
    [['authorization server', 405], 'account-response', false, wrongUrl('authorization server', 'authUrl', 405)],
    [['authorization server', 410], 'account-response', false, wrongUrl('authorization server', 'authUrl', 410)],
    [
      ['authorization server', 408],
      'account-token-rejected',
      true,
      'The authorization server does not answer this call now: try again later (HTTP 408).'
    ],
    [
      ['authorization server', 429],
      'account-token-rejected',
      true,
      'The authorization server does not answer this call now: try again later (HTTP 429).'
    ],
    [['authorization server', 503], 'account-server-error', true, 'The authorization server failed (HTTP 503).']
  ])('the error of a call says what happened: %j', ([server, status], code, retryable, message) => {
    expect({ ...statusError(server, status), message: statusError(server, status).message }).toEqual({
      ...{ code, retryable, status, message }
    })
  })

  function wrongUrl(server: string, option: string, status: number): string {
    return `The ${server} has nothing at this URL that answers the request, or redirects: is ${option} right? (HTTP ${status}).`
  }

  test('in flags, it names the flag', () => {
    expect(messageIn(statusError('API', 404), name => `--${name}`)).toBe(wrongUrl('API', '--baseUrl', 404))
  })

  test.each<[unknown, string]>([
    [new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }), ' (ECONNREFUSED)'],
    [new TypeError('fetch failed', { cause: { code: 'abc' } }), ''],
    [new TypeError('fetch failed', { cause: { code: 'ABC' } }), ''],
    [new TypeError('fetch failed', { cause: { code: 'A'.repeat(41) } }), ''],
    [new TypeError('fetch failed', { cause: { code: 7 } }), ''],
    [new TypeError('fetch failed'), ''],
    [undefined, '']
  ])('of a connection that failed with %o has a code in capitals alone', (thrown, shown) => {
    const error = networkError('API', thrown)
    expect([error.message, error.code, error.retryable]).toEqual([
      `The connection to the API failed${shown}.`,
      'account-network',
      true
    ])
    expect(Object.hasOwn(error, 'status')).toBe(false)
  })

  test('of a response has the reason', () => {
    expect(responseError('API', 'why').message).toBe("The API's response cannot be used: why.")
  })

  test('of an identity without an id names its fields', () => {
    const raw = { user: { name: 'x', id: null }, items: [] }
    const fields = 'user, items, user.name, user.id'
    expect(identityError(raw, false).message).toBe(
      `There is no account id under a usual name in the identity, whose fields are: ${fields}. Give selectAccountId to say where it is.`
    )
    expect(identityError(raw, true).message).toBe(
      `selectAccountId found no account id in the identity, whose fields are: ${fields}. It must return an account id, as a string that is not empty.`
    )
    expect(identityError(null, false).message).toContain('whose fields are: (none).')
  })
})

test.each(['https://other.example/', '//other.example/', '/../identity', '/a/%2e%2e;/b'])(
  'the path %s is refused, and not repeated',
  async path => {
    await expect(client({}).fetch(path)).rejects.toThrow(/^path is .*: /)
    await expect(client({}).fetch(path)).rejects.not.toThrow(path)
  }
)
