import type { Fields } from '../http/fields.ts'
import type { ReceivedRequest } from '../http/request.ts'
import { withoutDefaultPort } from '../options/hosts.ts'
import type { Settings } from '../options/options.ts'
import { fail, ok, type Result } from '../verdict/result.ts'

/** Checked before lower-casing: the Kelvin sign becomes a k. */
const VISIBLE_ASCII = /^[\x21-\x7e]*$/

/** 4. A Host exists and is the receiver's: a request signed for another receiver is refused (RFC 9110 section 7.2). */
export function checkHost(request: ReceivedRequest, fields: Fields, settings: Settings): Result<true> {
  const { hosts: expected } = settings
  const received = fields.values.get('host')
  if (received === undefined) return fail('host-missing', { expected, ...hostEvidence(request, fields) })
  if (fields.repeated.has('host'))
    return fail('host-repeated', { received, expected, ...hostEvidence(request, fields) })
  return isOurs(received, settings)
    ? ok(true)
    : fail('host-mismatch', {
        ...{ received, expected, ...hostEvidence(request, fields) },
        ...similarHeader(fields, settings)
      })
}

/** Without regard to case; a default port may be written or left out (RFC 9110 section 4.2.3). */
function isOurs(received: string, { hosts, requireHttps }: Settings): boolean {
  if (hosts.includes(received)) return true
  if (!VISIBLE_ASCII.test(received)) return false
  const host = withoutDefaultPort(received.toLowerCase(), requireHttps)
  return hosts.some(name => withoutDefaultPort(name, requireHttps) === host)
}

/** It is trusted for nothing: the cause names it. */
function similarHeader({ values }: Fields, settings: Settings): { similar?: string } {
  const host = values.get('x-forwarded-host')
  return host !== undefined && isOurs(host, settings) ? { similar: `X-Forwarded-Host: ${host}` } : {}
}

/** X-Forwarded-Host, if it was used for Host: the adapter was told to trust it, or both have the same value. */
function hostEvidence(request: ReceivedRequest, { values }: Fields): { header?: string } {
  const note = request.forwarded?.host
  if (note !== undefined) return { header: note.header }
  const isSame = values.has('host') && values.get('host') === values.get('x-forwarded-host')
  return isSame ? { header: 'X-Forwarded-Host' } : {}
}
