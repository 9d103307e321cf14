import fastify from 'fastify'
import supertest from 'supertest'
import { expect, test } from 'vitest'
import { createVerifier, fromNodeRequest, httpStatus, nodeHandler } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'

const service = createTestService({ rsaBits: 1024 })
const verify = createVerifier(service.options)
const signed = service.sign({ method: 'POST', target: '/hook?id=1', body: '{"id":1}' })

test('can be passed to app.inject() of Fastify, in one line', async () => {
  const app = fastify()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.post('/hook', async (request, reply) => {
    const verdict = await verify(fromNodeRequest(request.raw, { https: true }))
    return reply.code(httpStatus(verdict)).send()
  })
  const { method, target, headers, body } = signed
  const answer = await app.inject({
    method: method as 'POST',
    url: target,
    headers: Object.fromEntries(headers),
    payload: Buffer.from(body)
  })
  expect(answer.statusCode).toBe(200)
  await app.close()
})

test('can be sent by supertest, in one line', async () => {
  const receive = nodeHandler(createVerifier({ ...service.options, requireHttps: false }), () => {})
  await supertest(receive)
    .post(signed.target)
    .set(Object.fromEntries(signed.headers))
    .serialize((bytes: unknown) => bytes as string)
    .send(Buffer.from(signed.body))
    .expect(204)
})
