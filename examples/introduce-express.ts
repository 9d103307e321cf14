import type { IncomingMessage } from 'node:http'
import express from 'express'
import { createVerifier, explain, fromNodeRequest, logRecord } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
type Raw = IncomingMessage & { rawBody?: Buffer }

// Writes to the log, and changes nothing.
async function observe(req: Raw) {
  try {
    const verdict = await verify(fromNodeRequest(req, { body: req.rawBody, https: 'x-forwarded-proto' }))
    console.log(JSON.stringify(logRecord(verdict)))
    if (verdict.status !== 'verified') console.warn(explain(verdict))
  } catch (error) {
    console.error(error) // a mistake in these lines: requests are handled all the same
  }
}

const app = express()
// The parser that exists, which now keeps the bytes.
const keepBytes = (req: Raw, _res: unknown, bytes: Buffer) => {
  req.rawBody = bytes
}
app.use(express.json({ verify: keepBytes }))
// The route that exists, behind it.
app.use('/hook', (req, _res, next) => {
  void observe(req)
  next()
})
app.post('/hook', (_req, res) => res.sendStatus(204))

export const server = app.listen(Number(process.env['PORT'] ?? 3000))
