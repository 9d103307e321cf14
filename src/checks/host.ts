import type { Fields } from '../http/fields.ts'
import type { ReceivedRequest } from '../http/request.ts'
import type { Settings } from '../options/settings.ts'
import { fail, ok, type Result } from '../verdict/result.ts'

/** Checked before lower-casing: the Kelvin sign becomes a k. */
const VISIBLE_ASCII = /^[\x21-\x7e]*$/

/** 4. A Host exists and is the receiver's: a request signed for another receiver is refused (RFC 9110 section 7.2). */
export function checkHost(request: ReceivedRequest, fields: Fields, settings: Settings): Result<true> {
  const { acceptedHosts, hosts: expected } = settings
  const received = fields.values.get('host')
  if (received === undefined) return fail('host-missing', { expected, ...hostEvidence(request, fields) })
  if (fields.repeated.has('host'))
    return fail('host-repeated', { received, expected, ...hostEvidence(request, fields) })
  const ours =
    acceptedHosts.has(received) || (VISIBLE_ASCII.test(received) && acceptedHosts.has(received.toLowerCase()))
  return ours ? ok(true) : fail('host-mismatch', { received, expected, ...hostEvidence(request, fields) })
}

/** X-Forwarded-Host, if it was used for Host: the adapter was told to trust it, or both have the same value. */
function hostEvidence(request: ReceivedRequest, { values }: Fields): { header?: string } {
  const note = request.forwarded?.host
  if (note !== undefined) return { header: note.header }
  const isSame = values.has('host') && values.get('host') === values.get('x-forwarded-host')
  return isSame ? { header: 'X-Forwarded-Host' } : {}
}
