import type { LookupTxt } from 'signed-requests'

/**
 * Limits the names whose last records are kept: the service has a few, and a sender can ask for any under its domain.
 */
const MAX_NAMES = 100

/**
 * Wraps a lookup, so that the records it found are kept in `answers`, the latest names last. A verdict has the
 * failures.
 */
export function keepAnswers(lookupTxt: LookupTxt, answers: Map<string, string[][]>): LookupTxt {
  const lookup: LookupTxt = async (name, options) => {
    const records = await lookupTxt(name, options)
    answers.delete(name)
    answers.set(name, records)
    if (answers.size > MAX_NAMES) answers.delete(answers.keys().next().value!)
    return records
  }
  return Object.assign(lookup, { ...lookupTxt })
}
