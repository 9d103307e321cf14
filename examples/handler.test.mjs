import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { test } from 'node:test'
import { createVerifier, nodeHandler } from 'signed-requests'
import { createTestService } from 'signed-requests/testing'

// yours, with the verifier passed in
const options = { https: 'x-forwarded-proto' }
const handlerWith = verify => nodeHandler(verify, () => {}, options)

test('accepts what the service signed, and nothing else', async t => {
  const service = createTestService() // keys, a signer and an in-memory DNS
  const verify = createVerifier(service.options)
  const server = createServer(handlerWith(verify)).listen(0)
  t.after(() => server.close())

  const send = async ({ method, target, headers, body }) => {
    const lines = [...headers, ['X-Forwarded-Proto', 'https']].flat()
    const { port } = server.address()
    const sent = request({ port, method, path: target, headers: lines }).end(body)
    const [response] = await once(sent, 'response')
    return response.resume().statusCode
  }

  const signed = service.sign({ target: '/hook', body: '{"id":1}' })
  assert.equal(await send(signed), 204)
  assert.equal(await send({ ...signed, body: '{"id":2}' }), 401)
})
