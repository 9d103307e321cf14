import type { ReceivedRequest, Verdict, Verified } from 'signed-requests'
import { type Cause, findCause, GATEWAY_CODES, type GatewayCode, withoutMarks } from '../../src/internal/index.ts'
import { type HeaderLine, isUnsigned, otherDomainOf } from './exchange.ts'
import { isConfusable, isRepeated, signedNames } from './headers.ts'
import { asSigned } from './target.ts'

// Findings are for the log: the cause and the fix of a mistake in the deployment, without any text of the sender.

const findingIn = <K>(causes: readonly Cause<K>[], known: K): string | undefined => {
  const found = findCause(causes, known)
  return found && `${found.cause}: ${found.fix}`
}

/** A verified request as the application would get it. */
interface Passed {
  readonly target: ReceivedRequest['target']
  readonly headers: readonly HeaderLine[]
  readonly verdict: Verified
  /** in lower case: the headers that the proxy sets for `authorize`, and perhaps not for the application */
  readonly consumed: ReadonlySet<string>
}

/** Makes the reason of a refusal, with the texts of its code. */
const refusal = <C extends GatewayCode>(code: C, find: (passed: Passed) => boolean) => ({
  code,
  find,
  cause: withoutMarks(GATEWAY_CODES[code].about),
  fix: withoutMarks(GATEWAY_CODES[code].fix)
})

/**
 * Explains why `authorize` refuses a verified request. The application gets the request as it arrived, so each signed
 * header must be one line from the sender, no other header may pass for it, and the target must have the signed form.
 */
const REFUSALS = [
  refusal('header-repeated', ({ headers, verdict }) => isRepeated(headers, verdict)),
  refusal('header-overwritten', ({ verdict, consumed }) => [...signedNames(verdict)].some(name => consumed.has(name))),
  refusal('header-ambiguous', ({ headers, verdict }) => isConfusable(headers, verdict)),
  refusal(
    'target-not-as-signed',
    ({ target, headers, verdict }) => asSigned({ target, headers, https: true }, verdict).target !== target
  )
]

/** Says why `authorize` refuses a verified request; undefined where it does not. */
export function unsafeReason(passed: Passed) {
  const found = findCause(REFUSALS, passed)
  return found && { refusal: found.entry.code, finding: `${found.cause} ${found.fix}` }
}

/** The verdict on a request that a proxy describes to `authorize`. */
interface Described {
  readonly verdict: Verdict
  readonly from: 'as-is' | 'x-forwarded'
  /** whether X-Forwarded-Method and -Uri describe another request than the one they are in */
  readonly isOther: boolean
}

const DESCRIPTIONS: readonly Cause<Described>[] = [
  {
    find: ({ verdict, from, isOther }) => from === 'as-is' && isOther && verdict.status !== 'verified',
    cause: 'X-Forwarded-Method or -Uri differs from the method or target of this request',
    fix: 'if Traefik asks, start authorize with --from x-forwarded'
  },
  {
    find: ({ verdict, from }) => from === 'x-forwarded' && isIncomplete(verdict),
    cause: 'X-Forwarded-Method, -Uri, -Host and -Proto must each be sent exactly once',
    fix: 'have the proxy set them, or start authorize with --from as-is'
  }
]

/** Returns whether method, target or protocol were not where `--from x-forwarded` looks for them. */
const isIncomplete = ({ failures }: Verdict): boolean =>
  failures.some(
    ({ code, evidence }) =>
      (code === 'not-https' && evidence?.received.length !== 1) ||
      (code === 'request-malformed' && (evidence.part === 'method' || evidence.part === 'target'))
  )

/** Finds a proxy that describes the request in another way than --from says. */
export const descriptionFinding = (described: Described): string | undefined => findingIn(DESCRIPTIONS, described)

const SENDERS: readonly Cause<Verdict>[] = [
  {
    find: isUnsigned,
    cause: 'not signed',
    fix: 'a scanner, a health check or a browser'
  },
  {
    find: verdict => otherDomainOf(verdict) !== undefined,
    cause: 'signed under a domain other than --domain',
    fix: 'ask the service which domain its keys are under'
  }
]

/** Finds a sender that is not the service. */
export const senderFinding = (verdict: Verdict): string | undefined => findingIn(SENDERS, verdict)
