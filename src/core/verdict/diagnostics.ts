import { channel } from 'node:diagnostics_channel'
import type { Verdict } from './verdict.ts'

/** The message to subscribers of the channel `signed-requests:verdict`, once for each verdict. */
export interface VerdictMessage {
  /** the same object that the receiver gets: read it, do not change it */
  verdict: Verdict
  /** milliseconds from the call to the verdict, including the wait for DNS, the body and the replay store */
  durationMs: number
  /** milliseconds spent waiting, by stage */
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

/** Waits for a promise, and adds the time to the stages if there is a subscriber. */
export function measured<T>(stages: Stages | undefined, stage: keyof Stages, wait: () => Promise<T>): Promise<T> {
  if (stages === undefined) return wait()
  const start = performance.now()
  return wait().finally(() => {
    stages[stage] = performance.now() - start
  })
}
