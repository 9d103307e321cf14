import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createVerifier, explain, fromFetchRequest, httpStatus } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})

const app = new Hono()

// TLS ends at a proxy in front of this server, which sets X-Forwarded-Proto itself.
app.all('/hook/*', async c => {
  const verdict = await verify(fromFetchRequest(c.req.raw, { https: 'x-forwarded-proto' }))

  if (verdict.status === 'verified') {
    console.log('account %s sent %d bytes', verdict.accountId, verdict.body.length)
  } else {
    console.warn(explain(verdict))
    c.header('Connection', 'close') // or Node reads the refused body to its end
  }
  return c.body(null, httpStatus(verdict))
})

export const server = serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) })
