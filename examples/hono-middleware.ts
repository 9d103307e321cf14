import { serve } from '@hono/node-server'
import { type Context, Hono, type Next } from 'hono'
import { createMiddleware } from 'hono/factory'
import { fetchHandler, type Verified } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

type Env = { Variables: { verified: Verified } }
const receive = fetchHandler(
  verify,
  async (verified, _request, c: Context<Env>, next: Next) => {
    c.set('verified', verified)
    await next()
    return c.res
  },
  { https: 'x-forwarded-proto', onRefused }
)
const signed = createMiddleware<Env>((c, next) => receive(c.req.raw, c, next))

const app = new Hono().all('/hook/*', signed, c =>
  c.json({ accountId: c.get('verified').accountId })
)
export const server = serve({
  fetch: app.fetch,
  port: Number(process.env['PORT'] ?? 3000)
})
