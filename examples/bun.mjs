import { fetchHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

const receive = fetchHandler(verify, ({ accountId }) => console.log(accountId), {
  https: 'x-forwarded-proto',
  onRefused
})
const server = Bun.serve({ port: process.env.PORT ?? 3000, fetch: receive })
console.log('listening on %s', server.url)
