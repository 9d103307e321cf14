import { fail, ok, type Result } from '../result/result.ts'
import type { Context } from './context.ts'

/**
 * The request arrived over HTTPS. The evidence is the forwarding header: it was to be trusted but could not be used,
 * or it says http or https and was not to be trusted.
 */
export function checkHttps({ request, fields, settings }: Context): Result<true> {
  if (request.https || !settings.requireHttps) return ok(true)
  const claim = fields.values.get('x-forwarded-proto')?.toLowerCase()
  const isClaim = claim === 'https' || claim === 'http'
  const note = request.forwarded?.https ?? (isClaim && { header: 'X-Forwarded-Proto', received: [claim] })
  return note ? fail('not-https', { ...note }) : fail('not-https')
}
