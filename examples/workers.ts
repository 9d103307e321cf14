// wrangler.toml: compatibility_date = "2026-08-04" or later
import { createVerifier, explain, fetchHandler } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// env and ctx come after the request: (verified, request, env, ctx) => ...
export default {
  fetch: fetchHandler(verify, verified => console.log('account %s', verified.accountId), {
    onRefused: verdict => console.warn(explain(verdict))
  })
}
