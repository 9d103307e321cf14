import { fetchHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

const receive = fetchHandler(verify, ({ accountId }) => console.log(accountId), {
  https: 'x-forwarded-proto',
  onRefused
})
Deno.serve({ port: Number(Deno.env.get('PORT') ?? 3000) }, receive)
