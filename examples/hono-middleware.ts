import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { createVerifier, fromFetchRequest, logRecord, refusalResponse, type Verified } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  replayStore: memoryReplayStore()
})
// For routes of their own: c.get('verified') is there, and typed.
const signed = createMiddleware<{ Variables: { verified: Verified } }>(async (c, next) => {
  const verdict = await verify(fromFetchRequest(c.req.raw, { https: 'x-forwarded-proto' }))
  if (verdict.status !== 'verified') {
    console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
    return refusalResponse(verdict)
  }
  c.set('verified', verdict)
  await next()
  if (c.res.status >= 500) await verify.release(verdict) // the sender's retry is let in
})

const app = new Hono().all('/hook/*', signed, c => c.json({ account: c.get('verified').accountId }))
export const server = serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) })
