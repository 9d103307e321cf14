import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { mainFailure } from 'signed-requests'
import { CODES, isUnavailable } from '../../../src/internal/index.ts'
import { CLOCK_SOURCES, type ClockOffsets } from '../clock.ts'
import { type Exchange, type Malformed, UPSTREAM_LABELS } from '../exchange.ts'
import { SIGNERS, signerOf } from '../signer.ts'

/** Seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const CODE_NAMES = Object.keys(CODES) as (keyof typeof CODES)[]

/** Lists every `problem` of a failed claim. */
export const STORE_PROBLEMS = ['late', 'threw', 'undecided', 'unreachable', 'wrong-type'] as const

/** Makes the metrics that Prometheus reads. No label comes from a request. */
export function createMetrics(clockOffsets: () => ClockOffsets) {
  const registry = new Registry()
  const metric = <L extends string>(name: string, help: string, labelNames: L[]) => ({
    name: `signed_requests_${name}`,
    help,
    labelNames,
    registers: [registry]
  })
  const verdicts = new Counter(
    metric('verdicts_total', 'Verdicts by status, main code, and who signed the request', ['status', 'code', 'signed'])
  )
  // An alert compares with what was before: a series that begins with its first failure has nothing before.
  for (const signed of SIGNERS)
    for (const code of CODE_NAMES)
      verdicts.inc({ status: isUnavailable(code) ? 'unavailable' : 'rejected', code, signed }, 0)
  verdicts.inc({ status: 'verified', code: '', signed: 'key' }, 0)
  const durations = new Histogram({
    ...metric('verdict_duration_seconds', 'From the head of a request to its verdict', ['status']),
    buckets: BUCKETS
  })
  const storeFailures = new Counter(
    metric('store_failures_total', 'Requests that the replay store could not decide, by what was wrong', ['problem'])
  )
  for (const problem of STORE_PROBLEMS) storeFailures.inc({ problem }, 0)
  const responses = new Counter(
    metric('responses_total', 'Responses by class of status, and what the upstream did', ['status', 'upstream'])
  )
  for (const upstream of UPSTREAM_LABELS)
    for (const status of ['2xx', '4xx', '5xx', 'none']) responses.inc({ status, upstream }, 0)
  new Gauge({
    ...metric('clock_offset_seconds', 'Seconds by which this clock is ahead, 0 where it was not compared', ['source']),
    collect() {
      const offsets = clockOffsets()
      for (const source of CLOCK_SOURCES) this.set({ source }, offsets[source] ?? 0)
    }
  })
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    /** Statuses by class: an upstream can answer with any of 900, and each label value is a time series of its own. */
    count(exchange: Exchange | Malformed): void {
      const { status, upstream } = exchange
      responses.inc({ status: status === 0 ? 'none' : `${Math.floor(status / 100)}xx`, upstream })
      if (exchange.verdict === undefined) return
      const { verdict, verdictMs } = exchange
      const code = mainFailure(verdict)?.code ?? ''
      verdicts.inc({ status: verdict.status, code, signed: signerOf(verdict, exchange.madeByKey) })
      for (const failure of verdict.failures)
        if (failure.code === 'replay-store-failed') storeFailures.inc({ problem: failure.evidence.problem })
      durations.observe({ status: verdict.status }, verdictMs / 1000)
    }
  }
}
