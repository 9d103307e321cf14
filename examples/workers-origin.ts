// wrangler.toml: compatibility_date = "2026-08-04" or later
import { createVerifier, fetchHandler, logRecord } from 'signed-requests'

// Many instances serve, so a replay store must be one that they share, such as redisReplayStore(client).
const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// Nobody but this Worker may reach the origin, which takes the account from the header.
const ORIGIN = 'https://origin.example'
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
  { onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) })) }
)

export default { fetch: forward }
