import { Elysia } from 'elysia'
import { fetchHandler } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

const receive = fetchHandler(
  verify,
  ({ accountId }) => {
    console.log('account %s', accountId)
    return Response.json({ accountId })
  },
  { https: 'x-forwarded-proto', onRefused }
)
// parse: 'none' leaves the body to the verifier. On Bun, app.listen(3000) follows.
export const app = new Elysia().all('/hook/*', ({ request }) => receive(request), {
  parse: 'none'
})
