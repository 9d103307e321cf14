import type { ReceivedRequest } from '../http/request.ts'
import type { Settings } from '../options/settings.ts'
import { fail, ok, type Result } from '../verdict/result.ts'

/** 2. The request arrived over HTTPS. */
export function checkHttps({ https }: ReceivedRequest, { requireHttps }: Settings): Result<true> {
  return https || !requireHttps ? ok(true) : fail('not-https')
}
