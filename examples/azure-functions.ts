import { app, type HttpRequest } from '@azure/functions'
import { createVerifier, explain, fetchHandler } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// Without a key of Azure's: the signature says who calls. The HttpRequest has what is read of a Request.
const receive = fetchHandler(verify, verified => console.log('account %s', verified.accountId), {
  onRefused: verdict => console.warn(explain(verdict))
})
const handler = (request: HttpRequest) => receive(request as unknown as Request)

app.http('hook', { methods: ['GET', 'POST'], authLevel: 'anonymous', route: 'hook/{*path}', handler })
