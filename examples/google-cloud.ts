import { http, type Request, type Response } from '@google-cloud/functions-framework'
import { createVerifier, explain, nodeHandler } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// The platform has parsed the body, and keeps its bytes.
const receive = nodeHandler<Request, Response>(verify, ({ accountId }) => console.log(accountId), {
  body: req => req.rawBody,
  https: 'x-forwarded-proto',
  onRefused: verdict => console.warn(explain(verdict))
})

http('hook', receive)
