import type { Fields } from '../http/fields.ts'
import type { ReceivedRequest } from '../http/request.ts'
import type { Settings } from '../options/options.ts'
import { fail, ok, type Result } from '../verdict/result.ts'

/**
 * 2. The request arrived over HTTPS. The evidence is the forwarding header: it was to be trusted but could not be used,
 * or it says https and was not to be trusted.
 */
export function checkHttps(
  request: ReceivedRequest,
  { values }: Fields,
  { requireHttps }: Settings
): Result<true> {
  if (request.https || !requireHttps) return ok(true)
  const isClaimed = values.get('x-forwarded-proto')?.toLowerCase() === 'https'
  const note = request.forwarded?.https ?? (isClaimed && { header: 'X-Forwarded-Proto', received: ['https'] })
  return note ? fail('not-https', { ...note }) : fail('not-https')
}
