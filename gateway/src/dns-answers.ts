import type { LookupTxt } from 'signed-requests'

export type DnsAnswer = string[][] | { error: string }

/** Names whose last answer is kept: the service has a few, and a sender can ask for any under its domain. */
const MAX_NAMES = 100

/** The same lookup; its answers and failures are kept in `answers`, the latest names last. */
export function keepAnswers(lookupTxt: LookupTxt, answers: Map<string, DnsAnswer>): LookupTxt {
  const lookup: LookupTxt = (name, options) => {
    const keep = (answer: DnsAnswer) => {
      answers.delete(name)
      answers.set(name, answer)
      if (answers.size > MAX_NAMES) answers.delete(answers.keys().next().value!)
    }
    const reply = lookupTxt(name, options)
    reply.then(keep, ({ code = 'ESERVFAIL' }: NodeJS.ErrnoException) => keep({ error: code }))
    return reply
  }
  return Object.assign(lookup, { ...lookupTxt })
}
