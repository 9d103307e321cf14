import type { Fields } from '../headers/fields.ts'
import type { Settings } from '../options.ts'
import { fail, ok, type Result } from '../result.ts'

/**
 * 7. The signature covers at least (request-target), Host, Date, the account header and Digest: what it leaves out,
 * anyone can change. No name is listed twice, and each is in the request.
 */
export function checkCoverage(covered: readonly string[], fields: Fields, settings: Settings): Result<true> {
  const missing = settings.requiredCoverage.filter(name => !covered.includes(name))
  if (missing.length > 0) return fail('coverage-insufficient', { missing, covered })

  const repeated = covered.filter((name, at) => covered.indexOf(name) !== at)
  if (repeated.length > 0) return fail('coverage-repeated', { repeated })

  const absent = covered.filter(name => !name.startsWith('(') && !fields.values.has(name))
  return absent.length === 0 ? ok(true) : fail('coverage-absent', { absent })
}
