import { fetchHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

const receive = fetchHandler(verify, ({ accountId }) => console.log(accountId), {
  onRefused
})
export default { fetch: receive }
