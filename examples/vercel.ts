// api/hook.ts
import { createVerifier, explain, fetchHandler } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// A function without Next.js: nothing has read the body before.
export default {
  fetch: fetchHandler(verify, verified => Response.json({ account: verified.accountId }), {
    onRefused: verdict => console.warn(explain(verdict))
  })
}
