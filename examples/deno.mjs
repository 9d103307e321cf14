import { createVerifier, fetchHandler, logRecord } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  replayStore: memoryReplayStore()
})
// TLS ends at a proxy in front of this server, which sets X-Forwarded-Proto itself.
const receive = fetchHandler(verify, verified => console.log('account %s', verified.accountId), {
  https: 'x-forwarded-proto',
  onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
})

Deno.serve({ port: Number(Deno.env.get('PORT') ?? 3000) }, receive)
