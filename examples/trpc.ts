import { initTRPC } from '@trpc/server'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { fetchHandler, type Verified } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

const { procedure, router } = initTRPC.context<{ verified: Verified }>().create()
const appRouter = router({
  orders: procedure.mutation(({ ctx }) => console.log(ctx.verified.accountId))
})

export const receive = fetchHandler(
  verify,
  async (verified, { url, method, headers }) => {
    const body = method === 'GET' ? null : verified.body
    return fetchRequestHandler({
      endpoint: '/hook',
      req: new Request(url, { method, headers, body }),
      router: appRouter,
      createContext: () => ({ verified })
    })
  },
  { https: 'x-forwarded-proto', onRefused }
)
