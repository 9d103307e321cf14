import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AccountError, createAccountClient } from '../../../src/account/index.ts'
import { unicode } from '../properties/arbitraries.ts'
import { expectNoSecret } from './leaks.ts'

const accessToken = 'access-7c1e5d04-secret'
const token = 'authorization-90ab12cd-secret'

const FIELDS = [
  ...['authorization_token', 'token', 'access_token', 'jwt'],
  ...['ID', 'id', 'account_id', 'accountId', 'account', 'data', 'result'],
  token,
  accessToken
]

/** Makes anything that a server could send, often with the secrets and the names that the client looks for. */
const name = fc.constantFrom(...FIELDS)
const word = fc.oneof(name, fc.constant(''), fc.string(), unicode())
const { value: json } = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    word,
    fc.double(),
    fc.integer(),
    fc.constantFrom(null, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(word, tie('value'), { maxKeys: 5 })
  )
}))
const body = fc.oneof(
  fc.dictionary(name, json, { minKeys: 1 }).map(value => JSON.stringify(value)),
  json.map(value => JSON.stringify(value)),
  fc.array(word).map(words => words.join(' ')),
  word,
  fc.uint8Array(),
  fc.uint8Array().map(payload => `e30.${Buffer.from(payload).toString('base64url')}.c2ln`)
)
const response = fc.record({
  body,
  status: fc.oneof({ weight: 4, arbitrary: fc.constant(200) }, fc.constantFrom(201, 302, 400, 401, 404, 429, 500, 503)),
  type: fc.constantFrom(undefined, 'text/plain', 'application/json', 'text/html', 'image/png', 'application/json;x=')
})
const respond = ({ body, status, type }: { body: string | Uint8Array; status: number; type: string | undefined }) =>
  new Response(body as string, { status, headers: type === undefined ? {} : { 'content-type': type } })

/** Each run tries these first, so that it has accepted answers. */
const accepted = (...bodies: string[]) =>
  bodies.map((body): [Parameters<typeof respond>[0]] => [{ body, status: 200, type: 'application/json' }])

const options = { authUrl: 'https://auth.service.example', baseUrl: 'https://api.service.example', accessToken }

test('any answer to the exchange gives a token or an AccountError without a secret', async () => {
  let tokens = 0
  await fc.assert(
    fc.asyncProperty(response, async answer => {
      const client = createAccountClient({ ...options, fetch: async () => respond(answer) })
      try {
        expect(await client.authorization()).toMatch(/^Bearer [\x21-\x7e]{1,8192}$/)
        expect(await client.authorization()).not.toContain(accessToken)
        tokens++
      } catch (error) {
        expect(error).toBeInstanceOf(AccountError)
        expectNoSecret(error, [accessToken, token])
      }
    }),
    { numRuns: 150, examples: accepted(token, JSON.stringify({ authorization_token: token })) }
  )
  expect(tokens).toBeGreaterThanOrEqual(2)
})

test('any answer about the identity gives an id or an AccountError without a secret', async () => {
  let ids = 0
  await fc.assert(
    fc.asyncProperty(response, async answer => {
      const fetch = async (url: unknown) =>
        String(url).startsWith(options.authUrl) ? new Response(token) : respond(answer)
      try {
        const { accountId } = await createAccountClient({ ...options, fetch }).identity()
        expect(accountId).toEqual(expect.any(String))
        expect(accountId).not.toBe('')
        ids++
      } catch (error) {
        expect(error).toBeInstanceOf(AccountError)
        expectNoSecret(error, [accessToken, token])
      }
    }),
    { numRuns: 150, examples: accepted('{"ID":"1234"}', '{"ID":"5678","token":null}') }
  )
  expect(ids).toBeGreaterThanOrEqual(2)
})
