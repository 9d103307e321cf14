import { afterEach, expect, it, vi } from 'vitest'
import { createVerifier } from '../../src/index.ts'
import type { Exchange } from '../src/exchange.ts'
import { createReporter, type Report } from '../src/report.ts'
import { sharedService } from './start.ts'

const service = sharedService()
const verify = createVerifier(service.options)
const signed = service.sign({ target: '/' })
const verified = await verify(signed)
const rejected = await verify({ ...signed, target: '/other' })
const exchange = (target: string, verdict = verified): Exchange => ({
  receivedAt: 0,
  duration: 1,
  method: 'POST',
  target,
  headers: [],
  https: true,
  verdict,
  status: 200,
  upstream: 'answered'
})

afterEach(() => {
  vi.useRealTimers()
})

function start() {
  vi.useFakeTimers()
  const reports: Report[] = []
  return {
    reports,
    reporter: createReporter(report => reports.push(report), new Map([['a', [['b']]]]), false)
  }
}

it('counts every request, and keeps at most a hundred a second, refused ones first', () => {
  const { reports, reporter } = start()
  for (let n = 0; n < 50; n++) reporter.add(exchange(`/${n}`))
  for (let n = 0; n < 4; n++) reporter.add(exchange(`/refused/${n}`, rejected))
  expect(reports).toEqual([])
  vi.advanceTimersByTime(100)
  expect(reports).toHaveLength(1)
  const [{ counted, kept, dns }] = reports as [Report]
  expect(counted).toHaveLength(54)
  expect(counted[53]).toEqual({
    verdict: { status: 'rejected', failures: [{ code: 'signature-mismatch' }] },
    status: 200,
    upstream: 'answered',
    duration: 1
  })
  expect(kept).toHaveLength(10)
  expect(kept.filter(({ target }) => target.startsWith('/refused'))).toHaveLength(4)
  expect(dns).toEqual([['a', [['b']]]])
  vi.advanceTimersByTime(1000)
  expect(reports).toHaveLength(1)
})

it('sends what is left at the end, and nothing later', () => {
  const { reports, reporter } = start()
  reporter.end()
  expect(reports).toEqual([])
  reporter.add(exchange('/'))
  reporter.end()
  expect(reports).toHaveLength(1)
  vi.advanceTimersByTime(1000)
  expect(reports).toHaveLength(1)
})
