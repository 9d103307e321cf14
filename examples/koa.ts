import Koa from 'koa'
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

// Before any body parser. Koa leaves the answer alone when respond is false.
const app = new Koa().use((ctx, next) => {
  ctx.respond = !ctx.path.startsWith('/hook')
  return ctx.respond ? next() : receive(ctx.req, ctx.res)
})
export const server = app.listen(Number(process.env['PORT'] ?? 3000))
