import { describe, expect, test } from 'vitest'
import { createVerifier, explain } from '../../../src/index.ts'
import { createTestService, type SignedTestRequest } from '../../../src/testing/index.ts'

const service = createTestService()
const verify = createVerifier({ ...service.options, alsoCovered: [] })
const COVERED = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
const SECRET = 'hunter2-of-the-proxy'

/** Signs these names, and sends what a proxy in front has added. */
function sign(covered: readonly string[], headers: Readonly<Record<string, string>>): SignedTestRequest {
  return service.sign({ target: '/hook', body: '{}', covered: [...COVERED, ...covered], headers })
}

/** Lists more headers as covered, with a genuine signature. */
function claim(request: SignedTestRequest, more: string): SignedTestRequest {
  const headers = request.headers.map(([name, value]): [string, string] => [
    name,
    name === 'Signature' ? value.replace('digest"', `digest ${more}"`) : value
  ])
  return { ...request, headers }
}

describe('a text for a log shows no value of a header that', () => {
  test.each(['x-internal-token', 'authorization', 'cookie', 'x_auth'])(
    'anybody can list, and a proxy in front may fill with a secret: %s',
    async name => {
      const genuine = service.sign({ target: '/hook', body: '{}', covered: COVERED })
      const withSecret = { ...genuine, headers: [...genuine.headers, [name, SECRET] as [string, string]] }
      const forged = createTestService().sign({
        target: '/hook',
        covered: [...COVERED, name],
        headers: { [name]: SECRET }
      })
      for (const request of [claim(withSecret, name), { ...claim(withSecret, name), target: '/other' }, forged]) {
        const verdict = await verify(request)
        expect(verdict.failures).toMatchObject([{ code: 'signature-mismatch' }])
        const text = explain(verdict)
        expect(text).not.toContain(SECRET)
        expect(text).toContain(`${name}: (${SECRET.length} characters, not shown)`)
      }
    }
  )

  test('always has a secret, although the service signs it', async () => {
    const request = sign(['authorization'], { Authorization: `Basic ${SECRET}` })
    expect(explain(await verify({ ...request, target: '/other/hook' }))).not.toContain(SECRET)
  })
})

test('a text for a log shows the values that describe the request, and those of a text that the service has signed', async () => {
  const request = sign(['x-kind', 'x-nonce'], { 'X-Kind': 'a kind', 'X-Nonce': 'a nonce' })
  const text = explain(await verify({ ...request, target: '/other/hook' }))
  for (const line of ['x-service-id: account-1234', 'x-nonce: a nonce', 'x-kind: a kind']) expect(text).toContain(line)
})
