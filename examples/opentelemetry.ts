import { subscribe } from 'node:diagnostics_channel'
import { metrics } from '@opentelemetry/api'
import type { VerdictMessage } from 'signed-requests'

const meter = metrics.getMeter('receiver')
const verdicts = meter.createCounter('signed_requests.verdicts')
const duration = meter.createHistogram('signed_requests.duration', { unit: 's' })

subscribe('signed-requests:verdict', message => {
  const { verdict, durationMs } = message as VerdictMessage
  const code = verdict.status === 'verified' ? '' : verdict.failures[0].code
  verdicts.add(1, { status: verdict.status, code })
  duration.record(durationMs / 1000, { status: verdict.status })
})
