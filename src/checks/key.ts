import type { KeyCache, RecordKey } from '../key/import.ts'
import { asked, type TxtAnswer } from '../key/lookup.ts'
import { joinChunks } from '../key/record.ts'
import type { Settings } from '../options/options.ts'
import type { SchemeSteps } from '../scheme.ts'
import { type Algorithm, computationFor } from '../signature/algorithms.ts'
import { type Failed, fail, ok, type Result } from '../verdict/result.ts'

/** A key that may have made the signature, and the algorithm to try it with. */
export interface Candidate extends RecordKey {
  algorithm: Algorithm
}

/** A rotation has two; more than four at one name are not tried. */
const MAX_KEY_RECORDS = 4

/**
 * 9. DNS has a key record at the name, and the key fits the algorithm. During a rotation there may be several (RFC 6376
 * section 6.1.2 step 4): the value is the usable ones; if there are none, the first failure is reported.
 */
export function checkKey(
  scheme: SchemeSteps,
  name: string,
  answer: TxtAnswer,
  algorithm: Algorithm | undefined,
  keyOf: KeyCache,
  settings: Settings
): Result<readonly Candidate[]> {
  let candidates: readonly Candidate[] = []
  let firstFailure: Failed | undefined
  let keyRecords = 0

  for (const chunks of answer) {
    const found = keyOf(joinChunks(chunks))
    if (found === undefined) continue
    if (++keyRecords > MAX_KEY_RECORDS) break
    const candidate = found.ok ? fitAlgorithm(found.value, algorithm, scheme, settings) : found
    if (candidate.ok) candidates = [...candidates, candidate.value]
    else firstFailure ??= candidate
  }

  if (candidates.length > 0) return ok(candidates)
  if (firstFailure === undefined)
    return fail('key-not-found', {
      name,
      reason: 'no key record among the TXT records',
      ...asked(settings.lookupTxt)
    })
  return { ...firstFailure, evidence: { name, ...firstFailure.evidence } } as Failed
}

/** The header does not choose freely: the algorithm must be allowed, and fit the record's key type and hashes. */
function fitAlgorithm(
  found: RecordKey,
  named: Algorithm | undefined,
  scheme: SchemeSteps,
  { algorithms }: Settings
): Result<Candidate> {
  const { record, key } = found
  const allowed = algorithms[scheme.name]
  const algorithm = named ?? scheme.defaultAlgorithm(key.type, allowed)
  const computation = algorithm && computationFor(algorithm, key.type)
  if (algorithm === undefined || computation === undefined || !allowed.has(algorithm)) {
    return fail('key-type-mismatch', {
      record: record.text,
      reason: `an ${key.type} key does not fit the allowed algorithm`
    })
  }
  if (record.hashes !== undefined && !record.hashes.includes(computation.recordHash)) {
    return fail('key-hash-not-allowed', {
      record: record.text,
      reason: `h= does not allow ${computation.recordHash}`
    })
  }
  return ok({ record, key, algorithm })
}
