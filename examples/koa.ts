import Koa from 'koa'
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

// Before any body parser. Koa leaves the answer alone when respond is false.
const app = new Koa().use((ctx, next) => {
  ctx.respond = !ctx.path.startsWith('/hook')
  return ctx.respond ? next() : receive(ctx.req, ctx.res)
})
export const server = app.listen(Number(process.env['PORT'] ?? 3000))
