import type { HeaderLine } from '../../src/http/request.ts'
import type { Verdict } from '../../src/verdict/verdict.ts'

/** The result from the upstream: not asked, an answer that ended, or what went wrong. */
export type UpstreamResult = 'not-asked' | 'answered' | 'unreachable' | 'timed-out' | 'broken-off'

/** What the gateway knows about one request when it is over. Log, metrics and page are made from it. */
export interface Exchange {
  /** milliseconds since 1970 */
  readonly receivedAt: number
  /** milliseconds from the head of the request to the end of the answer */
  readonly duration: number
  /** as received, with the target byte for byte */
  readonly method: string
  readonly target: string
  readonly headers: readonly HeaderLine[]
  readonly https: boolean
  readonly verdict: Verdict
  /** of a refused request, when it was read to its end and the gateway has it */
  readonly body?: Uint8Array | undefined
  /** the status sent to the sender; 0 when the connection ended before */
  readonly status: number
  readonly upstream: UpstreamResult
}
