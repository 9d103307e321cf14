import { subscribe } from 'node:diagnostics_channel'
import { Counter, Histogram } from 'prom-client'
import type { VerdictMessage } from 'signed-requests'

const verdicts = new Counter({
  name: 'signed_requests_verdicts_total',
  help: 'Verdicts by status and code of the first failure',
  labelNames: ['status', 'code']
})
verdicts.inc({ status: 'verified', code: '' }, 0) // so that silence can be seen from the start
const durations = new Histogram({
  name: 'signed_requests_verdict_duration_seconds',
  help: 'Time to the verdict',
  labelNames: ['status']
})

subscribe('signed-requests:verdict', message => {
  const { verdict, durationMs } = message as VerdictMessage
  const code = verdict.status === 'verified' ? '' : verdict.failures[0].code
  verdicts.inc({ status: verdict.status, code })
  durations.observe({ status: verdict.status }, durationMs / 1000)
})
