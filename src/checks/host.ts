import type { Fields } from '../http/fields.ts'
import type { Settings } from '../options/settings.ts'
import { fail, ok, type Result } from '../verdict/result.ts'

/** Checked before lower-casing: the Kelvin sign becomes a k. */
const VISIBLE_ASCII = /^[\x21-\x7e]*$/

/** 4. A Host exists and is the receiver's: a request signed for another receiver is not for us (RFC 9110 section 7.2). */
export function checkHost(fields: Fields, { acceptedHosts, hosts }: Settings): Result<true> {
  const received = fields.values.get('host')
  if (received === undefined) return fail('host-missing', { expected: hosts })
  if (fields.repeated.has('host')) return fail('host-repeated', { received })
  const ours =
    acceptedHosts.has(received) || (VISIBLE_ASCII.test(received) && acceptedHosts.has(received.toLowerCase()))
  return ours ? ok(true) : fail('host-mismatch', { received, expected: hosts })
}
