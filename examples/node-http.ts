import { createServer } from 'node:http'
import { nodeHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

const receive = nodeHandler(verify, ({ accountId }) => console.log(accountId), {
  https: 'x-forwarded-proto', // a proxy in front ends TLS
  onRefused
})
export const server = createServer(receive).listen(process.env['PORT'] ?? 3000)
