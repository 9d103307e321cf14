import type { IncomingMessage } from 'node:http'
import express from 'express'
import { createVerifier, explain, fromNodeRequest, httpStatus } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})

// A parser for the whole app: it hands over the bytes before it parses them. The same for every parser in use.
const keepBytes = (req: IncomingMessage & { rawBody?: Buffer }, _res: unknown, bytes: Buffer) => {
  req.rawBody = bytes
}
const app = express()
app.use(express.json({ limit: '10mb', verify: keepBytes }))
app.use(express.urlencoded({ limit: '10mb', verify: keepBytes }))

app.all('/hook{/*path}', async (req: express.Request & { rawBody?: Buffer }, res) => {
  const verdict = await verify(fromNodeRequest(req, { body: req.rawBody, https: 'x-forwarded-proto' }))

  if (verdict.status === 'verified') console.log('account %s sent %o', verdict.accountId, req.body)
  else console.warn(explain(verdict))
  res.status(httpStatus(verdict)).end()
})

export const server = app.listen(Number(process.env['PORT'] ?? 3000))
