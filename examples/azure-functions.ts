import { app, type HttpRequest } from '@azure/functions'
import { createVerifier, fetchHandler, logRecord } from 'signed-requests'

// Many instances serve, so a replay store must be one that they share, such as redisReplayStore(client).
const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// Without a key of Azure's: the signature says who calls. The HttpRequest has what is read of a Request.
const receive = fetchHandler(verify, verified => console.log('account %s', verified.accountId), {
  onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
})
const handler = (request: HttpRequest) => receive(request as unknown as Request)

app.http('hook', { methods: ['GET', 'POST'], authLevel: 'anonymous', route: 'hook/{*path}', handler })
