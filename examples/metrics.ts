import { subscribe } from 'node:diagnostics_channel'
import { Counter, Histogram } from 'prom-client'
import type { VerdictMessage } from 'signed-requests'

const labelNames = ['status', 'code'] as const
const verdicts = new Counter({ name: 'signed_requests_total', help: 'Verdicts', labelNames })
const seconds = new Histogram({ name: 'signed_requests_seconds', help: 'Time to the verdict' })

subscribe('signed-requests:verdict', message => {
  const { verdict, durationMs } = message as VerdictMessage
  const code = verdict.status === 'verified' ? '' : verdict.failures[0].code
  verdicts.inc({ status: verdict.status, code })
  seconds.observe(durationMs / 1000)
})
