import express from 'express'
import { createVerifier, fromNodeRequest, logRecord } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
const app = express()
// Your parser, which now keeps the bytes, and one for what is not JSON.
const bytesOf = new WeakMap()
app.use(express.json({ verify: (req, _res, bytes) => void bytesOf.set(req, bytes) }))
app.use(
  '/hook',
  express.raw({
    type: () => true,
    verify: (req, _res, bytes) => void bytesOf.set(req, bytes)
  })
)

// Before your route: writes to the log, and changes nothing.
app.use('/hook', async (req, _res, next) => {
  next()
  try {
    const body = bytesOf.get(req) ?? new Uint8Array() // empty: no parser was called
    const verdict = await verify(
      fromNodeRequest(req, { body, https: 'x-forwarded-proto' })
    )
    console.log(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
  } catch (error) {
    console.error(error) // a mistake here must not stop your handler
  }
})
app.post('/hook', (_req, res) => res.sendStatus(204))

export const server = app.listen(Number(process.env['PORT'] ?? 3000))
