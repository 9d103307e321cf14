import { subscribe } from 'node:diagnostics_channel'
import { Counter, Histogram } from 'prom-client'
import { logRecord, type VerdictMessage } from 'signed-requests'

const verdicts = new Counter({
  name: 'signed_requests_verdicts_total',
  help: 'Verdicts by status, main code, and whether it is signed under the domain',
  labelNames: ['status', 'code', 'signed']
})
verdicts.inc({ status: 'verified', code: '', signed: 'true' }, 0) // so that silence can be seen from the start
const durations = new Histogram({
  name: 'signed_requests_verdict_duration_seconds',
  help: 'Time to the verdict',
  labelNames: ['status']
})

subscribe('signed-requests:verdict', message => {
  const { verdict, durationMs } = message as VerdictMessage
  const { status, code = '', signedUnderDomain } = logRecord(verdict)
  verdicts.inc({ status, code, signed: `${signedUnderDomain}` })
  durations.observe({ status }, durationMs / 1000)
})
