import fastify from 'fastify'
import { createVerifier, explain, nodeHandler } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
const receive = nodeHandler(verify, ({ accountId }) => console.log(accountId), {
  https: 'x-forwarded-proto',
  onRefused: verdict => console.warn(explain(verdict))
})

// A plugin: outside of it nothing changes. The hook runs before Fastify reads the body.
export const app = fastify().register(async scope => {
  scope.addHook('onRequest', (request, reply) => receive(request.raw, reply.hijack().raw))
  scope.all('/hook*', () => {})
})
await app.listen({ port: Number(process.env['PORT'] ?? 3000) })
