import type { Code } from '../result/codes.ts'
import { assertVerdict } from './assert.ts'
import type { Failure, Verdict } from './verdict.ts'

/**
 * Returns the failure that the others follow from: `signature-missing` if the request has nothing of a signed one, else
 * `key-name-outside-domain` if that failed (the request is for another service, or a forgery), else the first failure
 * that does not follow from another. It is for a log line, a metric or an alert.
 *
 * @example
 * const code = mainFailure(verdict)?.code ?? ''
 *
 * @returns one of `verdict.failures`, and undefined for a verified request
 * @throws TypeError for anything but a verdict, such as a Promise that was not awaited
 */
export function mainFailure(verdict: Verdict): Failure | undefined {
  assertVerdict('mainFailure', verdict)
  const { failures } = verdict
  if (failures.length < 2) return failures[0]
  const situation = situationOf(failures)
  if (!situation.isUnsigned)
    for (const failure of failures) if (failure.code === 'key-name-outside-domain') return failure
  for (const failure of failures) if (rootOf(failure, failures, situation) === undefined) return failure
  return failures[0]
}

/** Facts that several failures together show about a request. */
export interface Situation {
  /** nothing of a signed request is there, not even a signature in Authorization */
  readonly isUnsigned: boolean
  /** the code of a request that is signed by a standard that is not accepted here */
  readonly otherStandard: Code | undefined
}

/** Finds out what the failures together say about a request. */
export function situationOf(failures: readonly Failure[]): Situation {
  let isSignatureMissing = false
  let isDigestMissing = false
  let isAccountMissing = false
  let otherStandard: Code | undefined
  for (const failure of failures) {
    const { code } = failure
    if (code === 'digest-missing') isDigestMissing = true
    else if (code === 'account-missing') isAccountMissing = true
    else if (code === 'signature-missing') {
      const header = failure.evidence?.header
      isSignatureMissing = header !== 'Authorization'
      if (header === 'Signature-Input') otherStandard = code
    } else if (code === 'signature-malformed' && failure.evidence.looksLike === 'rfc9421') otherStandard = code
  }
  return { isUnsigned: isSignatureMissing && isDigestMissing && isAccountMissing, otherStandard }
}

/** Returns the code of the failure that this one follows from: fix that one first. */
export function rootOf(failure: Failure, failures: readonly Failure[], situation: Situation): Code | undefined {
  const { code } = failure
  if (situation.isUnsigned) return code === 'signature-missing' ? undefined : 'signature-missing'
  if (situation.otherStandard && (code === 'digest-missing' || code === 'date-missing')) return situation.otherStandard
  if (code === 'signature-created-out-of-range' || code === 'signature-expired')
    return failures.find(one => one.code === 'date-too-old' || one.code === 'date-in-future')?.code
  let root: Failure | undefined
  for (const name of unusableIn(failure)) {
    const header = AUTHORITY.has(name) ? 'host' : name
    const cause = failures.find(one => headerWithout(one) === header)
    // Most names are not missing, and the list is as long as the sender likes.
    if (cause === undefined) return undefined
    root ??= cause
  }
  return root?.code
}

/** Components of RFC 9421 that need Host (sections 2.2.2 and 2.2.3). */
const AUTHORITY: ReadonlySet<string> = new Set(['@authority', '@target-uri'])

const NO_NAMES: readonly string[] = []

/** Lists the names that a signature does not cover, or that it covers and the request does not have. */
function unusableIn(failure: Failure): readonly string[] {
  if (failure.code === 'coverage-insufficient') return failure.evidence.missing
  return failure.code === 'coverage-absent' ? failure.evidence.absent : NO_NAMES
}

/** Returns the header that is missing or malformed by this failure: a signature cannot cover it. */
export function headerWithout({ code, check, evidence }: Failure): string | undefined {
  if (code === 'account-missing' || code === 'account-malformed') return evidence.header
  if (code === 'digest-missing' && evidence?.header === 'Content-Digest') return 'content-digest'
  return code.endsWith('-missing') ? check : undefined
}
