import { expect, test } from 'vitest'
import { ask, service, startTestAdmin } from '../support/admin.ts'
import { exchangeOf, withHeader } from '../support/exchanges.ts'

const signed = () => service.sign({ target: '/hook', body: '{}' })

test('counts requests by verdict, answer and upstream, failures by code, and durations', async () => {
  const admin = await startTestAdmin()
  admin.record(await exchangeOf(signed(), service.options, { duration: 30 }))
  admin.record(await exchangeOf(signed(), service.options, { status: 502, upstream: 'unreachable' }))
  admin.record(await exchangeOf(signed(), service.options, { status: 0, upstream: 'broken-off' }))
  const refused = withHeader(withHeader(signed(), 'Host', 'other.example'), 'Date', 'yesterday')
  admin.record(await exchangeOf(refused, service.options))
  const { headers, body } = await ask(admin.port, '/metrics')
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
  for (const line of [
    'signed_requests_requests_total{verdict="verified",status="2xx",upstream="answered"} 1',
    'signed_requests_requests_total{verdict="verified",status="5xx",upstream="unreachable"} 1',
    'signed_requests_requests_total{verdict="verified",status="none",upstream="broken-off"} 1',
    'signed_requests_requests_total{verdict="rejected",status="4xx",upstream="not-asked"} 1',
    'signed_requests_failures_total{code="host-mismatch"} 1',
    'signed_requests_failures_total{code="date-malformed"} 1',
    'signed_requests_duration_seconds_bucket{le="0.025",verdict="verified"} 2',
    'signed_requests_duration_seconds_bucket{le="0.05",verdict="verified"} 3',
    'signed_requests_duration_seconds_count{verdict="rejected"} 1'
  ]) {
    expect(body.split('\n')).toContain(line)
  }
  expect(body).toContain('process_resident_memory_bytes')
})

test('has nothing from a request in a label, and a bounded number of label values', async () => {
  const admin = await startTestAdmin()
  const one = await exchangeOf(withHeader(signed(), 'Host', 'xyzzy.example'), service.options)
  for (let status = 100; status < 1000; status++) {
    admin.record({ ...one, status, method: `M${status}`, target: `/xyzzy/${status}` })
  }
  const { body } = await ask(admin.port, '/metrics')
  expect(body).not.toContain('xyzzy')
  expect(body.split('\n').filter(line => line.startsWith('signed_requests_requests_total{'))).toHaveLength(9)
})

test('each admin address counts for itself', async () => {
  const [first, second] = [await startTestAdmin(), await startTestAdmin()]
  first.record(await exchangeOf(signed(), service.options))
  const { body } = await ask(second.port, '/metrics')
  expect(body).not.toContain('verdict="verified"')
})
