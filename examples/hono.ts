import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createVerifier, fetchHandler, logRecord } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  replayStore: memoryReplayStore()
})
// TLS ends at a proxy in front of this server, which sets X-Forwarded-Proto itself.
const receive = fetchHandler(verify, verified => Response.json({ account: verified.accountId }), {
  https: 'x-forwarded-proto',
  onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
})

const app = new Hono().all('/hook/*', c => receive(c.req.raw))
export const server = serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) })
