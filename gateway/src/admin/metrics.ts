import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Counted } from '../report.ts'

/** What Prometheus reads. Labels have a few fixed values each: none comes from a request. */
export interface Metrics {
  readonly registry: Registry
  observe(counted: Counted): void
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'signed_requests_requests_total',
    help: 'Requests by verdict, by class of the status sent to the sender, and by upstream result',
    labelNames: ['verdict', 'status', 'upstream'],
    registers
  })
  const failures = new Counter({
    name: 'signed_requests_failures_total',
    help: 'Failed checks of rejected and unavailable requests by code',
    labelNames: ['code'],
    registers
  })
  const durations = new Histogram({
    name: 'signed_requests_duration_seconds',
    help: 'From the head of a request to the end of its answer',
    labelNames: ['verdict'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers
  })
  return {
    registry,
    observe({ verdict, status, upstream, duration }) {
      requests.inc({ verdict: verdict.status, status: statusClass(status), upstream })
      for (const { code } of verdict.failures) failures.inc({ code })
      durations.observe({ verdict: verdict.status }, duration / 1000)
    }
  }
}

/** An upstream can answer with any of 900 statuses, and each label value is a time series of its own. */
const statusClass = (status: number): string => (status === 0 ? 'none' : `${Math.floor(status / 100)}xx`)
