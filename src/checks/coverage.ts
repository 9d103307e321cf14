import type { Fields } from '../headers/fields.ts'
import type { SignatureParameters } from '../headers/signature.ts'
import type { Settings } from '../options.ts'
import type { ReceivedRequest } from '../request.ts'
import { fail, type Result } from '../result.ts'
import { joinSigningString } from '../signing-string.ts'
import type { NotRun } from '../verdict.ts'

const NO_SIGNING_STRING: NotRun = {
  ok: false,
  because: 'a time is covered that the Signature header does not have'
}

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
  // The check of the header itself has said so.
  if (!signingString.ok && signingString.code === 'signature-parameter-missing') return NO_SIGNING_STRING
  return signingString
}
