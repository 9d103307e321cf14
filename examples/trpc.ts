import { initTRPC } from '@trpc/server'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { createVerifier, fetchHandler, logRecord, type Verified } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  replayStore: memoryReplayStore()
})
const { procedure, router } = initTRPC.context<{ verified: Verified }>().create()
const appRouter = router({
  orders: procedure.mutation(({ ctx }) => console.log('account %s', ctx.verified.accountId))
})

// tRPC reads the bytes that were verified, and makes a response of what a procedure throws.
export const receive = fetchHandler(
  verify,
  async (verified, { url, method, headers }) => {
    const body = method === 'GET' ? null : verified.body
    const req = new Request(url, { method, headers, body })
    const createContext = () => ({ verified })
    const response = await fetchRequestHandler({ endpoint: '/hook', req, router: appRouter, createContext })
    if (response.status >= 500) await verify.release(verified)
    return response
  },
  {
    https: 'x-forwarded-proto',
    onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
  }
)
