import type { ReceivedRequest } from '../../src/index.ts'
import { load } from '../load.ts'

/** Types the used part of autocannon, which is installed in bench/node_modules and may be absent. */
type Autocannon = (options: object) => Promise<Result>
interface Result {
  requests: { sent: number }
  latency: { p50: number; p99: number }
  duration: number
  statusCodeStats: Record<string, { count: number }>
  errors: number
}

export interface Load {
  requests: readonly ReceivedRequest[]
  /** duration, unless `amount` gives a number */
  seconds?: number
  amount?: number
  connections: number
  /** called for every answer; left out where it would slow the sender down */
  onAnswer?: (request: ReceivedRequest, status: number) => void
}

export interface Outcome {
  perSecond: number
  /** milliseconds */
  p50: number
  p99: number
  /** answers by status */
  answers: Record<string, number>
  errors: number
}

export async function loadAutocannon(): Promise<(url: string, load: Load) => Promise<Outcome>> {
  const { default: autocannon } = await load<{ default: Autocannon }>('autocannon')
  return async (url, { requests, seconds, amount, connections, onAnswer }) => {
    const result = await autocannon({
      url,
      connections,
      ...(amount === undefined ? { duration: seconds } : { amount }),
      requests: requests.map(request => ({
        method: request.method,
        path: request.target,
        headers: Object.fromEntries(request.headers as [string, string][]),
        // autocannon accepts a Buffer, and no other Uint8Array.
        body: request.body && Buffer.from(request.body as Uint8Array),
        ...(onAnswer && { onResponse: (status: number) => onAnswer(request, status) })
      }))
    })
    const answers = Object.fromEntries(
      Object.entries(result.statusCodeStats).map(([status, { count }]) => [status, count])
    )
    const answered = Object.values(answers).reduce((sum, count) => sum + count, 0)
    const { p50, p99 } = result.latency
    return { perSecond: answered / result.duration, p50, p99, answers, errors: result.errors }
  }
}
