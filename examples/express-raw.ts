import express from 'express'
import { createVerifier, explain, fromNodeRequest, httpStatus } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})

const app = express()
const rawBody = express.raw({ type: '*/*', limit: '10mb' })

// Above any app.use(express.json()). TLS ends at a proxy in front, which sets X-Forwarded-Proto itself.
app.all('/hook{/*path}', rawBody, async (req, res) => {
  const verdict = await verify(fromNodeRequest(req, { body: req.body, https: 'x-forwarded-proto' }))

  if (verdict.status === 'verified') {
    console.log('account %s sent %d bytes', verdict.accountId, verdict.body.length)
  } else {
    console.warn(explain(verdict))
  }
  res.status(httpStatus(verdict)).end()
})

export const server = app.listen(Number(process.env['PORT'] ?? 3000))
