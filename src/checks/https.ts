import type { ReceivedRequest } from '../http/request.ts'
import type { Settings } from '../options/options.ts'
import { fail, ok, type Result } from '../verdict/result.ts'

/**
 * 2. The request arrived over HTTPS. The evidence is the forwarding header that was to be trusted but could not be
 * used.
 */
export function checkHttps(request: ReceivedRequest, { requireHttps }: Settings): Result<true> {
  if (request.https || !requireHttps) return ok(true)
  const note = request.forwarded?.https
  return note === undefined ? fail('not-https') : fail('not-https', { ...note })
}
