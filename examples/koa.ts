import Koa from 'koa'
import { createVerifier, explain, fromNodeRequest, httpStatus } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})

const app = new Koa()

// Before any body parser. koa-mount rewrites ctx.req.url; ctx.originalUrl is what was received.
app.use(async (ctx, next) => {
  if (!ctx.path.startsWith('/hook')) return next()
  const request = fromNodeRequest(ctx.req, { https: 'x-forwarded-proto' })
  const verdict = await verify({ ...request, target: ctx.originalUrl })

  if (verdict.status === 'verified') {
    console.log('account %s sent %d bytes', verdict.accountId, verdict.body.length)
  } else {
    console.warn(explain(verdict))
    ctx.set('Connection', 'close') // or Node reads the refused body to its end
  }
  ctx.status = httpStatus(verdict)
})

export const server = app.listen(Number(process.env['PORT'] ?? 3000))
