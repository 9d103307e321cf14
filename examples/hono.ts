import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createVerifier, explain, fetchHandler } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// TLS ends at a proxy in front of this server, which sets X-Forwarded-Proto itself.
const receive = fetchHandler(verify, verified => Response.json({ account: verified.accountId }), {
  https: 'x-forwarded-proto',
  onRefused: verdict => console.warn(explain(verdict))
})

const app = new Hono().all('/hook/*', c => receive(c.req.raw))
export const server = serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) })
