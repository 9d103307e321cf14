import { subscribe } from 'node:diagnostics_channel'
import { Counter, Histogram } from 'prom-client'
import { logRecord, type Verdict, type VerdictMessage } from 'signed-requests'

const verdicts = new Counter({
  name: 'signed_requests_verdicts_total',
  help: 'Verdicts by status, main code, and who signed the request',
  labelNames: ['status', 'code', 'signed']
})
// Alerts compare with what was before, so their series exist from the start.
verdicts.inc({ status: 'verified', code: '', signed: 'key' }, 0)
const durations = new Histogram({
  name: 'signed_requests_verdict_duration_seconds',
  help: 'Time to the verdict',
  labelNames: ['status']
})

subscribe('signed-requests:verdict', message => {
  const { verdict, durationMs } = message as VerdictMessage
  const { status, code = '' } = logRecord(verdict)
  verdicts.inc({ status, code, signed: signerOf(verdict) })
  durations.observe({ status }, durationMs / 1000)
})

/** Returns who signed a request, as far as its checks tell: only the published key can have made a signature that verifies. */
function signerOf(verdict: Verdict): 'key' | 'claimed' | 'no' {
  if (verdict.checks.signature.outcome === 'pass') return 'key'
  return verdict.checks['key-name'].outcome === 'pass' ? 'claimed' : 'no'
}
