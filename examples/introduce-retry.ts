import { createServer } from 'node:http'
import { createVerifier, logRecord, nodeHandler } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// While settings are being fixed: whatever is refused is 503 with Retry-After, so a genuine sender tries again.
const receive = nodeHandler(verify, ({ accountId }) => console.log(accountId), {
  https: 'x-forwarded-proto',
  onRefused(verdict) {
    console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
    return 503
  }
})

export const server = createServer(receive).listen(Number(process.env['PORT'] ?? 3000))
