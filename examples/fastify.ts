import fastify from 'fastify'
import { createVerifier, logRecord, nodeHandler } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  replayStore: memoryReplayStore()
})
const receive = nodeHandler(verify, ({ accountId }) => console.log(accountId), {
  https: 'x-forwarded-proto',
  onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
})

// A plugin: outside of it nothing changes. The hook runs before Fastify reads the body.
export const app = fastify().register(async scope => {
  scope.addHook('onRequest', (request, reply) => receive(request.raw, reply.hijack().raw))
  scope.all('/hook*', () => {})
})
await app.listen({ port: Number(process.env['PORT'] ?? 3000) })
