import { createServer } from 'node:http'
import { createVerifier, explain, fromNodeRequest, httpStatus } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example', // whose keys you trust: keyId must be a subdomain of it
  hosts: 'receiver.example', // your own name, as the service calls it
  accounts: '1234' // your account id
})

createServer(async (req, res) => {
  const verdict = await verify(fromNodeRequest(req, { https: 'x-forwarded-proto' })) // a proxy ends TLS
  // act on these bytes: they are what was signed
  if (verdict.status === 'verified') console.log(Buffer.from(verdict.body).toString())
  else console.warn(explain(verdict))
  res.writeHead(httpStatus(verdict), { Connection: 'close' }).end()
}).listen(process.env.PORT ?? 3000)
