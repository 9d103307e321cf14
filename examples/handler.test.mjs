import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { test } from 'node:test'
import { createVerifier, nodeHandler } from 'signed-requests'
import { createTestService } from 'signed-requests/testing'

// yours, with the verifier passed in
const handlerWith = verify => nodeHandler(verify, () => {}, { https: 'x-forwarded-proto' })

test('the handler takes what the service has signed, and nothing else', async t => {
  const service = createTestService()
  const server = createServer(handlerWith(createVerifier(service.options))).listen(0)
  t.after(() => server.close())

  // Headers as a list, so that Host is the one that was signed; the last one is what the proxy in front says.
  const send = async ({ method, target, headers, body }) => {
    const lines = [...headers, ['X-Forwarded-Proto', 'https']].flat()
    const sent = request({ port: server.address().port, method, path: target, headers: lines }).end(body)
    const [response] = await once(sent, 'response')
    return response.resume().statusCode
  }

  const signed = service.sign({ method: 'POST', target: '/hook', body: '{"id":1}' })
  assert.equal(await send(signed), 204)
  assert.equal(await send({ ...signed, body: '{"id":2}' }), 401)
})
