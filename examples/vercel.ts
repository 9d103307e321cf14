// api/hook.ts
import { fetchHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

const receive = fetchHandler(verify, ({ accountId }) => Response.json({ accountId }), {
  onRefused
})
export default { fetch: receive }
