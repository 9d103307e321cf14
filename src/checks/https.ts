import { fail, ok, type Result } from '../result/result.ts'
import type { Context } from './context.ts'

/**
 * 2. The request arrived over HTTPS. The evidence is the forwarding header: it was to be trusted but could not be used,
 * or it says https and was not to be trusted.
 */
export function checkHttps({ request, fields, settings }: Context): Result<true> {
  if (request.https || !settings.requireHttps) return ok(true)
  const isClaimed = fields.values.get('x-forwarded-proto')?.toLowerCase() === 'https'
  const note = request.forwarded?.https ?? (isClaimed && { header: 'X-Forwarded-Proto', received: ['https'] })
  return note ? fail('not-https', { ...note }) : fail('not-https')
}
