import { createServer } from 'node:http'
import { createVerifier, logRecord, nodeHandler } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// While you fix settings, each refusal is 503, so a genuine sender tries again.
const receive = nodeHandler(verify, ({ accountId }) => console.log(accountId), {
  https: 'x-forwarded-proto',
  onRefused(verdict) {
    console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
    return 503
  }
})

export const server = createServer(receive).listen(process.env['PORT'] ?? 3000)
