import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import { createVerifier, explain, fromNodeRequest, httpStatus } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})

const { PORT = '443', TLS_KEY = 'key.pem', TLS_CERT = 'cert.pem' } = process.env
const tls = { key: readFileSync(TLS_KEY), cert: readFileSync(TLS_CERT), allowHTTP1: true }

// Host is what :authority says. Node resets the stream of a refused body by itself; over HTTP/1.1 the connection ends.
export const server = createSecureServer(tls, async (req, res) => {
  const verdict = await verify(fromNodeRequest(req))

  if (verdict.status === 'verified') {
    console.log('account %s sent %d bytes', verdict.accountId, verdict.body.length)
  } else {
    console.warn(explain(verdict))
  }
  if (verdict.status !== 'verified' && req.httpVersionMajor === 1) res.setHeader('Connection', 'close')
  res.writeHead(httpStatus(verdict)).end()
})

server.listen(Number(PORT))
