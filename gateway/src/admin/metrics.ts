import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { logRecord } from 'signed-requests'
import type { Exchange, Malformed } from '../exchange.ts'

/** Seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Makes the metrics that Prometheus reads. No label comes from a request. */
export function createMetrics() {
  const registry = new Registry()
  const metric = <L extends string>(name: string, help: string, labelNames: L[]) => ({
    name: `signed_requests_${name}`,
    help,
    labelNames,
    registers: [registry]
  })
  const verdicts = new Counter(
    metric('verdicts_total', 'Verdicts by status, main code, and whether it is signed under the domain', [
      'status',
      'code',
      'signed'
    ])
  )
  verdicts.inc({ status: 'verified', code: '', signed: 'true' }, 0) // an alert on silence needs it from the start
  const durations = new Histogram({
    ...metric('verdict_duration_seconds', 'From the head of a request to its verdict', ['status']),
    buckets: BUCKETS
  })
  const responses = new Counter(
    metric('responses_total', 'Responses by class of status, and what the upstream did', ['status', 'upstream'])
  )
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    /** Statuses by class: an upstream can answer with any of 900, and each label value is a time series of its own. */
    count(exchange: Exchange | Malformed): void {
      const { status, upstream } = exchange
      responses.inc({ status: status === 0 ? 'none' : `${Math.floor(status / 100)}xx`, upstream })
      if (exchange.verdict === undefined) return
      const { verdict, verdictMs } = exchange
      const { status: outcome, code = '', signedUnderDomain } = logRecord(verdict)
      verdicts.inc({ status: outcome, code, signed: `${signedUnderDomain}` })
      durations.observe({ status: verdict.status }, verdictMs / 1000)
    }
  }
}
