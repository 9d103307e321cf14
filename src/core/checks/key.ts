import type { RecordKey } from '../key/cache.ts'
import { serversOf } from '../key/lookup.ts'
import { joinStrings, MAX_KEY_RECORDS, MAX_RECORD_LENGTH } from '../key/record.ts'
import type { TxtAnswer } from '../key/types.ts'
import { type Failed, fail, ok, type Result } from '../result/result.ts'
import { type Algorithm, computationFor } from '../signature/algorithms.ts'
import { measured } from '../verdict/diagnostics.ts'
import type { Candidate, Context, Examination } from './context.ts'

/**
 * DNS has a key record at the name, and the key fits the algorithm. During a rotation there may be several (RFC 6376
 * section 6.1.2 step 4): the value is the usable ones; if there are none, the first failure is reported.
 */
export function checkKey(
  examination: Examination<'key-name' | 'signature-header'>
): Promise<Result<readonly Candidate[]>> {
  const { request, results, tools, memory, timing } = examination
  const name = results['key-name'].value
  return measured(timing, 'keyMs', () => tools.lookup(name, request.signal)).then(reply => {
    memory.keyName = name
    memory.reply = reply
    return reply.ok ? chooseKeys(examination, reply.value) : reply
  })
}

function chooseKeys(
  context: Examination<'key-name' | 'signature-header'>,
  answer: TxtAnswer
): Result<readonly Candidate[]> {
  const name = context.results['key-name'].value
  const { algorithm } = context.results['signature-header'].value
  const candidates: Candidate[] = []
  let firstFailure: Failed | undefined
  let keyRecords = 0

  for (const strings of answer) {
    const known = context.tools.keyOf(joinStrings(strings))
    if (known === undefined) continue
    if (++keyRecords > MAX_KEY_RECORDS) break
    const candidate = known.ok ? fitAlgorithm(context, known.value, algorithm) : known
    if (candidate.ok) candidates.push(candidate.value)
    else firstFailure ??= candidate
  }

  if (candidates.length > 0) return ok(candidates)
  if (firstFailure === undefined) {
    // An answer without records is one that has other records alone: an alias that leads to no TXT record.
    const reason = answer.length === 0 ? 'ENODATA' : 'no key record among the TXT records'
    return fail('key-not-found', { name, reason, ...textsOf(answer), ...serversOf(context.settings.lookupTxt) })
  }
  const several = answer.length > 1 ? textsOf(answer) : {}
  return { ...firstFailure, evidence: { name, ...firstFailure.evidence, ...several } } as Failed
}

/** Returns the records as evidence: another one may have the rest of the key. */
const textsOf = (answer: TxtAnswer): { records: readonly string[] } => ({
  records: answer.slice(0, MAX_KEY_RECORDS).map(strings => joinStrings(strings).slice(0, MAX_RECORD_LENGTH))
})

/**
 * Chooses the algorithm. The header does not choose freely: the algorithm must be allowed, and fit the record's key
 * type and hashes.
 */
function fitAlgorithm(
  { scheme, settings }: Context,
  { record, key }: RecordKey,
  named: Algorithm | undefined
): Result<Candidate> {
  const allowed = settings.algorithms[scheme.name]
  const algorithm = named ?? scheme.defaultAlgorithm(key.type, allowed)
  const computation = algorithm && computationFor(algorithm, key.type)
  if (algorithm === undefined || computation === undefined || !allowed.has(algorithm)) {
    const reason = `an ${key.type} key does not fit the allowed algorithm`
    return fail('key-type-mismatch', { record: record.text, reason })
  }
  if (record.hashes?.includes(computation.recordHash) === false) {
    const reason = `h= does not allow ${computation.recordHash}`
    return fail('key-hash-not-allowed', { record: record.text, reason })
  }
  return ok({ record, key, algorithm })
}
