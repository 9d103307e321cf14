import { createServer } from 'node:http'
import { createVerifier, logRecord, nodeHandler } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verify = createVerifier({
  serviceDomain: 'service.example', // keyId must be below this domain
  hosts: 'receiver.example', // your own name, as the service calls it
  accounts: '1234', // your account id
  replayStore: memoryReplayStore() // for one process
})

const receive = nodeHandler(
  verify,
  (verified, _req, res) => {
    // act on these bytes: they are what was signed
    console.log(Buffer.from(verified.body).toString())
    res.end('received')
  },
  {
    https: 'x-forwarded-proto', // a proxy in front ends TLS
    onRefused(verdict) {
      const line = { time: new Date(), ...logRecord(verdict) }
      console.warn(JSON.stringify(line))
    }
  }
)
createServer(receive).listen(process.env.PORT ?? 3000)
