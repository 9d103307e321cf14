import fastify from 'fastify'
import { nodeHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

const receive = nodeHandler(verify, ({ accountId }) => console.log(accountId), {
  https: 'x-forwarded-proto',
  onRefused
})
// A plugin changes nothing outside itself. The hook runs before Fastify reads the body.
export const app = fastify().register(async scope => {
  scope.addHook('onRequest', (request, reply) =>
    receive(request.raw, reply.hijack().raw)
  )
  scope.all('/hook*', () => {})
})
await app.listen({ port: Number(process.env['PORT'] ?? 3000) })
