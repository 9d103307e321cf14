import { adviceOn } from '../../../src/explain/advice.ts'
import { lengths } from '../../../src/explain/details.ts'
import { evidenceOf } from '../../../src/explain/evidence.ts'
import { facts, factText } from '../../../src/explain/facts.ts'
import { escapeText } from '../../../src/explain/text.ts'
import { thrownLines } from '../../../src/explain/thrown.ts'
import type { VerifierOptions } from '../../../src/options/options.ts'
import { namesRead } from '../../../src/testing/capture.ts'
import { CHECK_NAMES, type CheckResult, type Failure } from '../../../src/verdict/verdict.ts'
import { bodyPreview } from './body-preview.ts'
import type { KeptExchange } from './recent.ts'
import { coveredHeaders, signingLines } from './signing-lines.ts'

/** How much is shown of a text from outside; the fixture has all of it. */
const MAX_TARGET = 2000
const MAX_VALUE = 1000

/** A line of the list. Every text from outside is printable ASCII here, and cut. */
export function rowOf(kept: KeptExchange): object {
  const { number, receivedAt, duration, method, target, verdict, status, upstream } = kept
  return {
    number,
    receivedAt,
    duration: Math.round(duration),
    method: escapeText(method, 20),
    target: escapeText(target, 200),
    verdict: verdict.status,
    status,
    upstream,
    codes: verdict.failures.map(({ code }) => code),
    checks: CHECK_NAMES.map(check => ({ check, outcome: verdict.checks[check].outcome }))
  }
}

/** All details of one request. */
export function detailOf(kept: KeptExchange, options: VerifierOptions, redact: boolean): object {
  const { verdict, method, target, headers, https } = kept
  const covered = coveredHeaders(kept, options)
  const read = namesRead(headers, options, verdict)
  return {
    ...rowOf(kept),
    method: escapeText(method, MAX_VALUE),
    target: escapeText(target, MAX_TARGET),
    https,
    ...(verdict.status === 'verified' && {
      account: escapeText(verdict.accountId),
      key: escapeText(verdict.keyId),
      algorithm: verdict.algorithm
    }),
    checks: CHECK_NAMES.map(check => ({ check, ...resultOf(verdict.checks[check]) })),
    failures: verdict.failures.map(explained),
    signing: signingLines(kept, options).map(line => ({ ...line, text: escapeText(line.text, MAX_VALUE) })),
    headers: headers.map(([name, value]) => {
      const lower = name.toLowerCase()
      const isBlank = redact && !read.has(lower)
      return {
        name: escapeText(name),
        value: isBlank ? '' : escapeText(value, MAX_VALUE),
        isSigned: covered.has(lower),
        isBlank
      }
    }),
    body: bodyPreview(kept, redact)
  }
}

function resultOf(result: CheckResult): object {
  const { outcome } = result
  if (outcome === 'pass') return { outcome, text: '' }
  if (outcome === 'not-run') return { outcome, text: result.reason }
  return { outcome, code: result.code, text: result.message }
}

/** What `explain` says about a failure, in parts. */
function explained(failure: Failure): object {
  const evidence = evidenceOf(failure)
  const [cause, fix] = adviceOn(failure)
  const { bodyLength, contentLength, record } = evidence
  return {
    code: failure.code,
    message: failure.message,
    facts: [
      ...facts(evidence).map(factText),
      ...(bodyLength === undefined ? [] : [`body: ${lengths(Number(bodyLength), contentLength)}`]),
      ...thrownLines(failure).map(line => line.replace(/\n? +/g, ' ').trim())
    ],
    cause,
    fix,
    ...(record !== undefined && { record: escapeText(String(record), MAX_VALUE) })
  }
}
