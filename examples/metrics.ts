import { subscribe } from 'node:diagnostics_channel'
import { Counter, Histogram } from 'prom-client'
import {
  diagnose,
  logRecord,
  mainFailure,
  type Verdict,
  type VerdictMessage
} from 'signed-requests'

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

/** Returns who signed: the published key, someone who claims such a key, or nobody. */
function signerOf(verdict: Verdict): 'key' | 'claimed' | 'no' {
  const madeByKey = verdict.checks.signature.outcome === 'pass' || wasMadeByKey(verdict)
  if (madeByKey === true) return 'key'
  return verdict.checks['key-name'].outcome === 'pass' && madeByKey === undefined
    ? 'claimed'
    : 'no'
}

let second = 0
let diagnosed = 0

/**
 * Returns whether the key made a signature that did not verify, if that is known. Asks
 * at most ten times a second, because anybody can send such requests.
 */
function wasMadeByKey(verdict: Verdict): boolean | undefined {
  if (mainFailure(verdict)?.code !== 'signature-mismatch') return undefined
  const now = Math.floor(Date.now() / 1000)
  diagnosed = now === second ? diagnosed + 1 : 1
  second = now
  return diagnosed <= 10 ? diagnose(verdict).failures[0]?.madeByKey : undefined
}
