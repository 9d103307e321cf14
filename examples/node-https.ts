import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { createVerifier, explain, fromNodeRequest, httpStatus } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})

const { PORT = '443', TLS_KEY = 'key.pem', TLS_CERT = 'cert.pem' } = process.env
const tls = { key: readFileSync(TLS_KEY), cert: readFileSync(TLS_CERT) }

export const server = createServer(tls, async (req, res) => {
  const verdict = await verify(fromNodeRequest(req))

  if (verdict.status === 'verified') {
    console.log('account %s sent %d bytes', verdict.accountId, verdict.body.length)
  } else {
    console.warn(explain(verdict))
    res.setHeader('Connection', 'close') // or Node reads the refused body to its end
  }
  res.writeHead(httpStatus(verdict)).end()
})

server.listen(Number(PORT))
