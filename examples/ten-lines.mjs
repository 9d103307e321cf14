import { createServer } from 'node:http'
import { createVerifier, explain, nodeHandler } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example', // whose keys you trust: keyId must be a subdomain of it
  hosts: 'receiver.example', // your own name, as the service calls it
  accounts: '1234' // your account id
})

const receive = nodeHandler(
  verify,
  (verified, _req, res) => {
    console.log(Buffer.from(verified.body).toString()) // act on these bytes: they are what was signed
    res.end('received')
  },
  { https: 'x-forwarded-proto', onRefused: verdict => console.warn(explain(verdict)) } // a proxy ends TLS
)
createServer(receive).listen(process.env.PORT ?? 3000)
