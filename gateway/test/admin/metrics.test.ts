import { expect, test } from 'vitest'
import { service, withHeaders } from '../../../test/support/service.ts'
import { ask, startTestAdmin } from '../support/admin.ts'
import { exchangeOf } from '../support/exchanges.ts'

const signed = () => service.sign({ target: '/hook', body: '{}' })

test('counts verdicts by status, main code, domain, duration and answer', async () => {
  const admin = await startTestAdmin()
  admin.record(await exchangeOf(signed()))
  admin.record(await exchangeOf(signed(), { status: 502, upstream: 'unreachable' }))
  admin.record(await exchangeOf(signed(), { status: 0, upstream: 'broken-off' }))
  admin.record(await exchangeOf(withHeaders(signed(), { Host: 'other.example', Date: 'yesterday' })))
  admin.record(await exchangeOf({ method: 'POST', target: '/', headers: [['Host', 'x']], body: null, https: false }))
  const { headers, body } = await ask(admin.port, '/metrics')
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
  for (const line of [
    'signed_requests_verdicts_total{status="verified",code="",signed="key"} 3',
    'signed_requests_verdicts_total{status="rejected",code="date-malformed",signed="claimed"} 1',
    'signed_requests_verdicts_total{status="rejected",code="signature-missing",signed="no"} 1',
    'signed_requests_verdict_duration_seconds_count{status="verified"} 3',
    // Each took 1.2 ms.
    'signed_requests_verdict_duration_seconds_sum{status="rejected"} 0.0024',
    'signed_requests_verdict_duration_seconds_count{status="rejected"} 2',
    'signed_requests_responses_total{status="2xx",upstream="answered"} 1',
    'signed_requests_responses_total{status="5xx",upstream="unreachable"} 1',
    'signed_requests_responses_total{status="none",upstream="broken-off"} 1',
    'signed_requests_responses_total{status="4xx",upstream="not-asked"} 2'
  ]) {
    expect(body.split('\n')).toContain(line)
  }
  expect(body).toContain('process_resident_memory_bytes')
})

test('every series that an alert may compare is 0 before the first request', async () => {
  const { body } = await ask((await startTestAdmin()).port, '/metrics')
  const lines = body.split('\n')
  for (const line of [
    'verdicts_total{status="verified",code="",signed="key"}',
    'verdicts_total{status="rejected",code="signature-mismatch",signed="key"}',
    'verdicts_total{status="rejected",code="key-not-found",signed="claimed"}',
    'verdicts_total{status="unavailable",code="key-lookup-failed",signed="claimed"}',
    ...['late', 'threw', 'undecided', 'unreachable', 'wrong-type'].map(
      problem => `store_failures_total{problem="${problem}"}`
    ),
    'responses_total{status="5xx",upstream="unreachable"}'
  ])
    expect(lines).toContain(`signed_requests_${line} 0`)
})

test('no label has anything from a request, and the number of label values is bounded', async () => {
  const admin = await startTestAdmin()
  const one = await exchangeOf(withHeaders(signed(), { Host: 'xyzzy.example' }))
  for (let status = 100; status < 1000; status++) {
    admin.record({ ...one, status, method: `M${status}`, target: `/xyzzy/${status}` })
  }
  const { body } = await ask(admin.port, '/metrics')
  expect(body).not.toContain('xyzzy')
  const responses = body.split('\n').filter(line => line.startsWith('signed_requests_responses_total{'))
  // Nine classes of statuses, and none.
  expect(responses.filter(line => line.includes('upstream="not-asked"'))).toHaveLength(10)
  expect(responses.length).toBeLessThan(50)
})
