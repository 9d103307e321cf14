import { remappedNames } from '../http/cdn.ts'
import { EMPTY_DIGESTS } from '../http/digest.ts'
import { coveredFields, type Fields } from '../http/fields.ts'
import type { EvidenceOf } from '../result/evidence.ts'
import { fail, type NotRun, type Result, UNREADABLE } from '../result/result.ts'
import type { Context } from './context.ts'

/**
 * The signature covers at least the method and the target, Host, the time, the account header and the digest of the
 * body: anyone can change what is not covered. No name is listed twice, and each is in the request. The value is the
 * signing string, which can be built only then.
 */
export function checkCoverage(context: Context): Result<string> | NotRun {
  const { request, fields, scheme, signature, settings } = context
  if (!signature.ok) return UNREADABLE
  const { headers: covered } = signature.value
  const missing = scheme.missingCoverage(signature.value, settings)
  if (missing.length > 0) return fail('coverage-insufficient', { missing, covered })
  const { repeated } = coveredFields(covered)
  if (repeated.length > 0) return fail('coverage-repeated', { repeated })
  const signingString = scheme.buildSigningString(request, fields, signature.value)
  if (signingString.ok) return signingString
  return signingString.code === 'coverage-absent' ? withChanges(signingString.evidence, fields) : NO_TIME
}

/** Adds what shows why a covered header is missing. */
function withChanges(evidence: EvidenceOf<'coverage-absent'>, fields: Fields): Result<string> {
  const renamed = remappedNames(fields, evidence.absent)
  const digest = fields.values.get('digest') ?? fields.values.get('content-digest') ?? ''
  return fail('coverage-absent', {
    ...evidence,
    ...(renamed.length > 0 && { renamed }),
    ...(EMPTY_DIGESTS.some(empty => digest.includes(empty)) && { isBodyEmpty: true })
  })
}

/** Already reported by the signature-header check. */
const NO_TIME: NotRun = { ok: false, reason: 'the signature covers a time that it does not give' }
