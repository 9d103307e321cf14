import type { Fields } from '../headers/fields.ts'
import { keepFew } from '../headers/remember.ts'
import type { ReceivedRequest } from '../request.ts'
import { fail, type Result } from '../result.ts'
import type { Scheme, SignatureClaims } from '../schemes/scheme.ts'
import type { Settings } from '../settings.ts'
import type { NotRun } from '../verdict.ts'

/**
 * 7. The signature covers at least the method and the target, Host, the time, the account header and the digest of the
 * body: what it leaves out, anyone can change. No name is listed twice, and each is in the request. The value is the
 * string that is signed, which can be built only then.
 */
export function checkCoverage(
  scheme: Scheme,
  request: ReceivedRequest,
  fields: Fields,
  claims: SignatureClaims,
  settings: Settings
): Result<string> | NotRun {
  const { headers: covered } = claims
  if (!isKnownGood(covered, settings)) {
    const missing = scheme.findMissing(claims, settings)
    if (missing !== undefined) return fail('coverage-insufficient', { missing, covered: [...covered] })
    const repeated = covered.filter((name, i) => covered.indexOf(name) !== i)
    if (repeated.length > 0) return fail('coverage-repeated', { repeated })
    keepFew(good, { covered, settings })
  }

  const signed = scheme.buildSigned(request, fields, claims)
  return signed.ok || signed.code === 'coverage-absent' ? signed : NO_TIME
}

/** The last few lists that were found good, and by which settings: the draft's requests share them. */
const good: { covered: readonly string[]; settings: Settings }[] = []

function isKnownGood(covered: readonly string[], settings: Settings): boolean {
  for (const each of good) if (each.covered === covered && each.settings === settings) return true
  return false
}

/** That is the Signature header's failure, and told as that. */
const NO_TIME: NotRun = { ok: false, because: 'the signature covers a time that it does not give' }
