// app/middleware/signed_middleware.ts. In start/kernel.ts it stands before the body parser:
// router.use([() => import('#middleware/signed_middleware'), () => import('@adonisjs/core/bodyparser_middleware')])
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { createVerifier, fromNodeRequest, logRecord, sendRefusal, type Verified } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

declare module '@adonisjs/core/http' {
  interface HttpContext {
    verified: Verified
  }
}

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  replayStore: memoryReplayStore()
})

export default class SignedMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    const { request, response } = ctx
    if (!request.url().startsWith('/hook')) return next()
    const verdict = await verify(fromNodeRequest(request.request, { https: 'x-forwarded-proto' }))
    if (verdict.status !== 'verified') {
      console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
      return sendRefusal(response.response, verdict)
    }
    ctx.verified = verdict
    await next() // does not throw: AdonisJS has made a response of an error
    if (response.getStatus() >= 500) await verify.release(verdict)
  }
}
