import { channel } from 'node:diagnostics_channel'
import { assertVerdict } from './assert.ts'
import type { Code } from './codes.ts'
import type { Verdict } from './verdict.ts'

/**
 * What to log about a verdict. Every key is always present; what is not known is undefined, which JSON leaves out. Only
 * a verified request has more than `status` and `codes`: what an unverified request claims stays out of the log.
 */
export interface LogRecord {
  status: Verdict['status']
  /** the codes of the failures, in the order of the checks; empty when verified */
  codes: readonly Code[]
  /** visible ASCII without a comma, at most 255 characters */
  accountId: string | undefined
  /** a DNS name in lower case, at most 253 characters */
  keyId: string | undefined
  algorithm: string | undefined
  /** the time of the request, ISO 8601 in UTC */
  date: string | undefined
  /** base64 */
  replayId: string | undefined
  /** in bytes */
  bodyLength: number | undefined
}

/**
 * One flat object for a log line: no body, no signing string, no text from an unverified request.
 *
 * @example
 * logger.info(logRecord(verdict), 'signed request')
 *
 * @throws TypeError for anything but a verdict, such as a Promise that was not awaited
 */
export function logRecord(verdict: Verdict): LogRecord {
  assertVerdict('logRecord', verdict)
  const verified = verdict.status === 'verified' ? verdict : undefined
  return {
    status: verdict.status,
    codes: verdict.failures.map(({ code }) => code),
    accountId: verified?.accountId,
    keyId: verified?.keyId,
    algorithm: verified?.algorithm,
    date: verified?.date.toISOString(),
    replayId: verified?.replayId,
    bodyLength: verified?.body.length
  }
}

/** What subscribers of the channel `signed-requests:verdict` get, once for each verdict. */
export interface VerdictMessage {
  /** the same object that the receiver gets: read it, do not change it */
  verdict: Verdict
  /** milliseconds from the call to the verdict, including the wait for DNS, the body and the replay store */
  durationMs: number
  /** milliseconds of that, for what was waited for */
  stages: Stages
}

/** Milliseconds of waiting: for the key from DNS, for a streamed body, for the replay store. */
export interface Stages {
  keyMs?: number
  bodyMs?: number
  replayMs?: number
}

const VERDICTS = /* @__PURE__ */ channel('signed-requests:verdict')

/** Publishes each verdict to the subscribers in this process; measures nothing without subscribers. */
export function withDiagnostics<Request>(
  verify: (request: Request, stages?: Stages) => Promise<Verdict>
): (request: Request) => Promise<Verdict> {
  return request => (VERDICTS.hasSubscribers ? publish(verify, request) : verify(request))
}

async function publish<Request>(
  verify: (request: Request, stages: Stages) => Promise<Verdict>,
  request: Request
): Promise<Verdict> {
  const stages: Stages = {}
  const start = performance.now()
  const verdict = await verify(request, stages)
  const message: VerdictMessage = { verdict, durationMs: performance.now() - start, stages }
  VERDICTS.publish(message)
  return verdict
}

/** What is waited for; its time is added to the stages where there is somebody to read them. */
export function measured<T>(
  wait: () => Promise<T>,
  stage: keyof Stages,
  stages: Stages | undefined
): Promise<T> {
  if (stages === undefined) return wait()
  const start = performance.now()
  return wait().finally(() => {
    stages[stage] = performance.now() - start
  })
}
