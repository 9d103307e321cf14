import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { fetchHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

const receive = fetchHandler(verify, ({ accountId }) => Response.json({ accountId }), {
  https: 'x-forwarded-proto',
  onRefused
})
const app = new Hono().all('/hook/*', c => receive(c.req.raw))
export const server = serve({
  fetch: app.fetch,
  port: Number(process.env['PORT'] ?? 3000)
})
