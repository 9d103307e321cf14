// app/hook/[[...path]]/route.ts
import { createVerifier, fetchHandler, logRecord } from 'signed-requests'

// Many instances serve, so a replay store must be one that they share, such as redisReplayStore(client).
const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// Next.js takes the scheme of request.url from X-Forwarded-Proto, so say yourself whether only HTTPS reaches it; and
// the host from its own configuration, so Host alone counts.
export const POST = fetchHandler(verify, verified => console.log('account %s', verified.accountId), {
  https: true,
  host: 'header',
  onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
})

export const GET = POST
