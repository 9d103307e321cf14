import fastify, { type FastifyInstance } from 'fastify'
import { createVerifier, explain, fromNodeRequest, httpStatus } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})

// A plugin has parsers of its own: inside this one the body stays a stream, outside nothing changes.
async function hooks(scope: FastifyInstance) {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))

  scope.all('/hook*', async (request, reply) => {
    const verdict = await verify(fromNodeRequest(request.raw, { https: 'x-forwarded-proto' }))

    if (verdict.status === 'verified') {
      console.log('account %s sent %d bytes', verdict.accountId, verdict.body.length)
    } else {
      console.warn(explain(verdict))
      reply.header('Connection', 'close') // or Node reads the refused body to its end
    }
    return reply.code(httpStatus(verdict)).send()
  })
}

export const app = fastify()
app.register(hooks)
await app.listen({ port: Number(process.env['PORT'] ?? 3000) })
