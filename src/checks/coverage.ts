import type { Fields } from '../headers/fields.ts'
import type { SignatureParameters } from '../headers/signature.ts'
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
  signature: SignatureParameters,
  { requiredCoverage }: Settings
): Result<string> | NotRun {
  const { headers: covered } = signature
  if (!requiredCoverage.every(name => covered.includes(name))) {
    const missing = requiredCoverage.filter(name => !covered.includes(name))
    return fail('coverage-insufficient', { missing, covered })
  }

  const isRepeated = (name: string, at: number) => covered.indexOf(name) !== at
  if (covered.some(isRepeated)) return fail('coverage-repeated', { repeated: covered.filter(isRepeated) })

  const signingString = joinSigningString(request, fields, covered, signature)
  return signingString.ok || signingString.code === 'coverage-absent' ? signingString : NO_TIME
}

/** That is the Signature header's failure, and told as that. */
const NO_TIME: NotRun = { ok: false, because: 'the signature covers a time that it does not give' }
