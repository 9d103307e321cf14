import type { CheckName, Code, createVerifier, Verdict } from '../../src/index.ts'
import type { Vector } from '../support/vectors.ts'

/** Holds the properties of a verdict that a vector states. */
export interface Outcome {
  status: Verdict['status']
  failures: readonly { check: CheckName; code: Code }[]
  /** the checks that did not pass, of those that ran */
  checks: readonly { check: CheckName; outcome: 'fail' | 'unavailable'; code: Code }[]
  /** the number of DNS queries, for a vector that must cause none */
  queries?: number
}

/** Lists the checks from the DNS query on. When an earlier check fails, DNS must not be asked. */
const FROM_DNS_ON: readonly CheckName[] = ['key', 'signature', 'digest', 'replay']

/** Judges the request of a vector, on any runtime; returns the expected and the actual outcome. */
export async function judge(
  create: typeof createVerifier,
  { options, request, verdict: asked }: Vector
): Promise<{ expected: Outcome; actual: Outcome }> {
  const failures = asked.status === 'verified' ? [] : asked.failures
  const isLocal = failures.some(({ check, code }) => !FROM_DNS_ON.includes(check) && code !== 'account-check-failed')
  let queries = 0
  const verify = create({
    ...options,
    lookupTxt: (name, context) => {
      queries += 1
      return options.lookupTxt!(name, context)
    }
  })
  const verdict = await verify(request)
  return {
    expected: {
      status: asked.status,
      failures,
      checks: failures.map(({ check, code }) => ({ check, outcome: outcomeOf(asked.status, code), code })),
      ...(isLocal && { queries: 0 })
    },
    actual: {
      status: verdict.status,
      failures: verdict.status === 'verified' ? [] : verdict.failures.map(({ check, code }) => ({ check, code })),
      checks: Object.entries(verdict.checks).flatMap(([name, result]) =>
        result.outcome === 'fail' || result.outcome === 'unavailable'
          ? { check: name as CheckName, outcome: result.outcome, code: result.code }
          : []
      ),
      ...(isLocal && { queries })
    }
  }
}

const outcomeOf = (status: Verdict['status'], code: Code): 'fail' | 'unavailable' =>
  status === 'rejected' && code !== 'account-check-failed' ? 'fail' : 'unavailable'
