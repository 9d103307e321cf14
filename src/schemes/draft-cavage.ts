import { checkDate } from '../checks/date.ts'
import { readDigests } from '../headers/digest.ts'
import { readSignature } from '../headers/signature.ts'
import { fail } from '../result.ts'
import { joinSigningString } from '../signing-string.ts'
import { showNear } from './near.ts'
import type { Scheme } from './scheme.ts'

/** draft-cavage-http-signatures-12, with `Digest` of RFC 3230: what the service signs by today. */
export const draftCavage: Scheme = {
  name: 'draft-cavage',

  readSignature(fields) {
    const value = fields.values.get('signature')
    if (value === undefined) return fail('signature-missing')
    if (fields.repeated.has('signature')) return fail('signature-repeated')
    return showNear(readSignature(value), value)
  },

  checkDate: (fields, _signature, now, settings) => checkDate(fields, now, settings),

  findMissing({ headers: covered }, { requiredCoverage }) {
    const missing = requiredCoverage.filter(name => !covered.includes(name))
    return missing.length === 0 ? undefined : missing
  },

  buildSigned: (request, fields, claims) => joinSigningString(request, fields, claims.headers, claims),

  readDigests(fields) {
    const value = fields.values.get('digest')
    return value === undefined ? fail('digest-missing') : readDigests(value)
  },

  /** Section 2.1.3: derived from the key. */
  defaultAlgorithm: type => (type === 'rsa' ? 'rsa-sha256' : 'ed25519')
}
