import { http, type Request, type Response } from '@google-cloud/functions-framework'
import { createVerifier, logRecord, nodeHandler } from 'signed-requests'

// Many instances serve, so a replay store must be one that they share, such as redisReplayStore(client).
const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// The platform has parsed the body, and keeps its bytes.
const receive = nodeHandler<Request, Response>(verify, ({ accountId }) => console.log(accountId), {
  body: req => req.rawBody,
  https: 'x-forwarded-proto',
  onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
})

http('hook', receive)
