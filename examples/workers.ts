// wrangler.toml: compatibility_date = "2026-08-04" or later
import { createVerifier, fetchHandler, logRecord } from 'signed-requests'

// Many instances serve, so a replay store must be one that they share, such as redisReplayStore(client).
const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// env and ctx come after the request: (verified, request, env, ctx) => ...
export default {
  fetch: fetchHandler(verify, verified => console.log('account %s', verified.accountId), {
    onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
  })
}
