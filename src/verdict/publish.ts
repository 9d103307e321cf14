import { channel } from 'node:diagnostics_channel'
import type { Verdict } from './verdict.ts'

/** What subscribers of the channel `signed-requests:verdict` get, once for each verdict. */
export interface VerdictMessage {
  /** the same object that the receiver gets: read it, do not change it */
  verdict: Verdict
  /** milliseconds from the call to the verdict, including the wait for DNS, the body and the replay store */
  durationMs: number
}

const VERDICTS = /* @__PURE__ */ channel('signed-requests:verdict')

/** Publishes each verdict to the subscribers in this process; costs nothing without subscribers. */
export function publishing<Request>(
  verify: (request: Request) => Promise<Verdict>
): (request: Request) => Promise<Verdict> {
  return request => (VERDICTS.hasSubscribers ? publish(verify, request) : verify(request))
}

async function publish<Request>(
  verify: (request: Request) => Promise<Verdict>,
  request: Request
): Promise<Verdict> {
  const start = performance.now()
  const verdict = await verify(request)
  const message: VerdictMessage = { verdict, durationMs: performance.now() - start }
  VERDICTS.publish(message)
  return verdict
}
