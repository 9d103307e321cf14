import { createServer } from 'node:http'
import { createVerifier, explain, nodeHandler } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// TLS ends at a proxy in front of this server, which sets X-Forwarded-Proto itself.
const receive = nodeHandler(verify, ({ accountId }) => console.log(accountId), {
  https: 'x-forwarded-proto',
  onRefused: verdict => console.warn(explain(verdict))
})

export const server = createServer(receive).listen(Number(process.env['PORT'] ?? 3000))
