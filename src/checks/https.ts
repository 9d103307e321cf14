import { forwardedNotes, type ReceivedRequest } from '../http/request.ts'
import type { Settings } from '../options/settings.ts'
import { fail, ok, type Result } from '../verdict/result.ts'

/** 2. The request arrived over HTTPS. A forwarding header that was asked for, and could not be used, is the evidence. */
export function checkHttps(request: ReceivedRequest, { requireHttps }: Settings): Result<true> {
  if (request.https || !requireHttps) return ok(true)
  const note = forwardedNotes(request)?.https
  return note === undefined ? fail('not-https') : fail('not-https', { ...note })
}
