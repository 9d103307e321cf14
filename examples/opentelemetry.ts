import { subscribe } from 'node:diagnostics_channel'
import { metrics } from '@opentelemetry/api'
import { logRecord, type VerdictMessage } from 'signed-requests'

const meter = metrics.getMeter('receiver')
const verdicts = meter.createCounter('signed_requests.verdicts')
const duration = meter.createHistogram('signed_requests.verdict.duration', {
  unit: 's',
  advice: {
    explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  }
})

subscribe('signed-requests:verdict', message => {
  const { verdict, durationMs } = message as VerdictMessage
  const { status, code = '', signedUnderDomain } = logRecord(verdict)
  const claimed = signedUnderDomain ? 'claimed' : 'no'
  const signed = verdict.checks.signature.outcome === 'pass' ? 'key' : claimed
  verdicts.add(1, { status, code, signed })
  duration.record(durationMs / 1000, { status })
})
