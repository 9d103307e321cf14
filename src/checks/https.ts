import type { ReceivedRequest } from '../request.ts'
import { fail, ok, type Result } from '../result.ts'
import type { Settings } from '../settings.ts'

/** 2. The request arrived over HTTPS. */
export function checkHttps({ https }: ReceivedRequest, { requireHttps }: Settings): Result<true> {
  return https || !requireHttps ? ok(true) : fail('not-https')
}
