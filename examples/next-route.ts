// app/hook/[[...path]]/route.ts
import { fetchHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

export const POST = fetchHandler(verify, ({ accountId }) => console.log(accountId), {
  https: true, // only if nothing but HTTPS reaches your server
  host: 'header', // Next.js makes request.url from its own configuration
  onRefused
})
export const GET = POST
