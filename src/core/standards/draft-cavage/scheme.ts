import { parseEncodedDigests, similarDigest } from '../../http/digest.ts'
import { parseDateHeader } from '../../http/http-date.ts'
import { isRecordKeyType, KEY_TYPES } from '../../key/key-types.ts'
import { fail, withExcerpt } from '../../result/result.ts'
import type { Scheme, SchemeRules, SchemeSettings } from '../scheme.ts'
import { parseSharedSignature } from './signature-header.ts'
import { joinSigningString } from './signing-string.ts'

/**
 * Lists the parts that must be signed: those that the service always signs, in its order, and what the receiver asks
 * for.
 */
const requiredNames = ({ accountHeader, alsoCovered }: SchemeSettings): readonly string[] => [
  ...new Set(['(request-target)', 'host', 'date', accountHeader, 'digest', ...alsoCovered])
]

const rules: SchemeRules = {
  name: 'draft-cavage',

  /** The signing string has the method in lower case: it does not tell `post` from `POST`. */
  isSignableMethod: method => method === method.toUpperCase(),

  parseSignature(fields) {
    const value = fields.values.get('signature')
    if (value === undefined) {
      const isElsewhere = /^signature /i.test(fields.values.get('authorization') ?? '')
      return fail('signature-missing', isElsewhere ? { header: 'Authorization' } : undefined)
    }
    if (fields.repeated.has('signature')) return fail('signature-repeated')
    return withExcerpt(parseSharedSignature(value), value)
  },

  parseTime: fields => parseDateHeader(fields),

  missingCoverage: ({ headers }, settings) => requiredNames(settings).filter(name => !headers.includes(name)),

  /** Section 3.1.1. */
  challenge: settings => ({ 'WWW-Authenticate': `Signature headers="${requiredNames(settings).join(' ')}"` }),

  /** Case does not count: implementations write `RSA-SHA256`, too. */
  normalizeAlgorithm: name => name.toLowerCase(),

  buildSigningString: (request, fields, parsed) => joinSigningString(request, fields, parsed.headers, parsed),

  parseDigests(fields) {
    const value = fields.values.get('digest')
    if (value !== undefined) return parseEncodedDigests(value)
    const similar = similarDigest(fields)
    return fail('digest-missing', similar === undefined ? undefined : { similar })
  },

  /** Section 2.1.3: the algorithm is derived from the key. */
  defaultAlgorithm: type => (isRecordKeyType(type) ? KEY_TYPES[type].defaultAlgorithm : undefined)
}

/**
 * Stands for draft-cavage-http-signatures-12, with `Digest` of RFC 3230, in the option `schemes`. It is the default.
 *
 * @example
 * import { rfc9421 } from 'signed-requests/rfc9421'
 * const verify = createVerifier({ ...options, schemes: [draftCavage, rfc9421] })
 */
export const draftCavage: Scheme = rules
