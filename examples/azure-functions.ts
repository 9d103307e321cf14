import { app, type HttpRequest } from '@azure/functions'
import { fetchHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

const receive = fetchHandler(verify, ({ accountId }) => console.log(accountId), {
  onRefused
})
app.http('hook', {
  methods: ['GET', 'POST'],
  authLevel: 'anonymous', // the signature says who calls
  route: 'hook/{*path}',
  handler: (request: HttpRequest) => receive(request as unknown as Request)
})
