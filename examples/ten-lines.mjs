import { createServer } from 'node:http'
import { createVerifier, logRecord, nodeHandler } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verify = createVerifier({
  serviceDomain: 'service.example', // whose keys you trust: keyId must be a subdomain of it
  hosts: 'receiver.example', // your own name, as the service calls it
  accounts: '1234', // your account id
  replayStore: memoryReplayStore() // for one process
})

const receive = nodeHandler(
  verify,
  (verified, _req, res) => {
    console.log(Buffer.from(verified.body).toString()) // act on these bytes: they are what was signed
    res.end('received')
  },
  {
    https: 'x-forwarded-proto', // a proxy ends TLS
    onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
  }
)
createServer(receive).listen(process.env.PORT ?? 3000)
