import { fetchHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

const ORIGIN = 'https://origin.example' // nothing but this Worker may reach it
const forward = fetchHandler(
  verify,
  ({ accountId, body }, { method, url, headers }) => {
    const type = headers.get('Content-Type') ?? 'application/octet-stream'
    return fetch(url.replace(new URL(url).origin, ORIGIN), {
      method,
      headers: { 'Content-Type': type, 'Signed-Request-Account': accountId },
      body: body.length > 0 ? body : null,
      redirect: 'manual'
    })
  },
  { onRefused }
)
export default { fetch: forward }
