import { Elysia } from 'elysia'
import {
  assertVerified,
  createVerifier,
  fromFetchRequest,
  logRecord,
  refusalResponse,
  type Verdict
} from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  replayStore: memoryReplayStore()
})
// A plugin, for the routes of the instance that uses it.
const signed = new Elysia({ name: 'signed-requests' })
  .resolve({ as: 'scoped' }, async ({ request }) => {
    return { verdict: await verify(fromFetchRequest(request, { https: 'x-forwarded-proto' })) }
  })
  .onBeforeHandle({ as: 'scoped' }, ({ verdict }) => {
    if (verdict.status === 'verified') return
    console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
    return refusalResponse(verdict)
  })
  .onError({ as: 'scoped' }, ({ verdict }) => verdict && verify.release(verdict))

// With parse: 'none', Elysia does not read the body before. On Bun, app.listen(3000) follows.
export const app = new Elysia().use(signed).all('/hook/*', receive, { parse: 'none' })

function receive({ verdict }: { verdict: Verdict }) {
  assertVerified(verdict) // it is: this tells TypeScript
  console.log('account %s', verdict.accountId)
  return { account: verdict.accountId }
}
