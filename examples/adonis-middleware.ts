// app/middleware/signed_middleware.ts
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { fromNodeRequest, sendRefusal, type Verified } from 'signed-requests'
import { onRefused, verify } from './verify.ts'

declare module '@adonisjs/core/http' {
  interface HttpContext {
    verified: Verified
  }
}

export default class SignedMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    const { request, response } = ctx
    if (!request.url().startsWith('/hook')) return next()
    const options = { https: 'x-forwarded-proto' } as const
    const verdict = await verify(fromNodeRequest(request.request, options))
    if (verdict.status !== 'verified') {
      onRefused(verdict)
      return sendRefusal(response.response, verdict)
    }
    ctx.verified = verdict
    await next() // does not throw: AdonisJS has made a response of an error
    if (response.getStatus() >= 500) await verify.release(verdict)
  }
}
