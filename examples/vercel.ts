// api/hook.ts
import { createVerifier, fetchHandler, logRecord } from 'signed-requests'

// Many instances serve, so a replay store must be one that they share, such as redisReplayStore(client).
const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// A function without Next.js: nothing has read the body before.
export default {
  fetch: fetchHandler(verify, verified => Response.json({ account: verified.accountId }), {
    onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
  })
}
