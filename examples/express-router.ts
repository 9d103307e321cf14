import express from 'express'
import { createVerifier, explain, fromNodeRequest, httpStatus } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})

// No body parser: the stream itself is verified, and nothing of it is read before the head is.
const hooks = express.Router()
hooks.use(async (req, res) => {
  const verdict = await verify(fromNodeRequest(req, { https: 'x-forwarded-proto' }))

  if (verdict.status === 'verified') {
    console.log('account %s sent %d bytes', verdict.accountId, verdict.body.length)
  } else {
    console.warn(explain(verdict))
    res.set('Connection', 'close') // or Node reads the refused body to its end
  }
  res.status(httpStatus(verdict)).end()
})

const app = express()
app.use('/hook', hooks) // req.url is without /hook from here on; req.originalUrl has it
app.use(express.json())

export const server = app.listen(Number(process.env['PORT'] ?? 3000))
