import Koa from 'koa'
import { nodeHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

const receive = nodeHandler(verify, ({ accountId }) => console.log(accountId), {
  https: 'x-forwarded-proto',
  onRefused
})
// Before any body parser. If respond is false, Koa leaves the response alone.
const app = new Koa().use((ctx, next) => {
  ctx.respond = !ctx.path.startsWith('/hook')
  return ctx.respond ? next() : receive(ctx.req, ctx.res)
})
export const server = app.listen(process.env['PORT'] ?? 3000)
