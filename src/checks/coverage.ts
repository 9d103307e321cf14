import type { Fields } from '../headers/fields.ts'
import type { ReadSignature } from '../headers/signature.ts'
import type { Settings } from '../options.ts'
import type { ReceivedRequest } from '../request.ts'
import { fail, type Result } from '../result.ts'
import { joinSigningString } from '../signing-string.ts'
import type { NotRun } from '../verdict.ts'

/**
 * 7. The signature covers at least (request-target), Host, Date, the account header and Digest: what it leaves out,
 * anyone can change. No name is listed twice, and each is in the request. The value is the signing string, which can
 * be built only then.
 */
export function checkCoverage(
  request: ReceivedRequest,
  fields: Fields,
  signature: ReadSignature,
  { requiredCoverage }: Settings
): Result<string> | NotRun {
  const { headers: covered } = signature
  if (covered !== lastCovered || requiredCoverage !== lastRequired) {
    const missing = requiredCoverage.filter(name => !covered.includes(name))
    if (missing.length > 0) return fail('coverage-insufficient', { missing, covered: [...covered] })
    const repeated = covered.filter((name, i) => covered.indexOf(name) !== i)
    if (repeated.length > 0) return fail('coverage-repeated', { repeated })
    lastCovered = covered
    lastRequired = requiredCoverage
  }

  const signingString = joinSigningString(request, fields, covered, signature)
  return signingString.ok || signingString.code === 'coverage-absent' ? signingString : NO_TIME
}

/** The last list that was found good, and what it had to have: the same list comes with every request of a sender. */
let lastCovered: readonly string[] | undefined
let lastRequired: readonly string[] | undefined

/** That is the Signature header's failure, and told as that. */
const NO_TIME: NotRun = { ok: false, because: 'the signature covers a time that it does not give' }
