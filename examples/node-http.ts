import { createServer } from 'node:http'
import { createVerifier, explain, fromNodeRequest, httpStatus } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})

// TLS ends at a proxy in front of this server, which sets X-Forwarded-Proto itself.
export const server = createServer(async (req, res) => {
  const verdict = await verify(fromNodeRequest(req, { https: 'x-forwarded-proto' }))

  if (verdict.status === 'verified') {
    console.log('account %s sent %d bytes', verdict.accountId, verdict.body.length)
  } else {
    console.warn(explain(verdict))
    res.setHeader('Connection', 'close') // or Node reads the refused body to its end
  }
  res.writeHead(httpStatus(verdict)).end()
})

server.listen(Number(process.env['PORT'] ?? 3000))
