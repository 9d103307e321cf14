import { expect, test } from 'vitest'
import { CHECK_NAMES } from '../../../../src/core/result/codes.ts'
import { fail, ok, withCause } from '../../../../src/core/result/result.ts'
import { refuse } from '../../../../src/core/verdict/refuse.ts'

const failed = fail('date-missing')
const undecided = fail('key-lookup-timeout', { name: 'k.example', error: 'ETIMEOUT' })

test('a verdict is unavailable only when no check failed', () => {
  expect(refuse({ key: undecided }, '').status).toBe('unavailable')
  expect(refuse({ date: failed }, '').status).toBe('rejected')
  expect(refuse({ date: failed, key: undecided }, '').status).toBe('rejected')
})

test('a verdict has all checks, and the reason for those that were not run', () => {
  const { checks, failures } = refuse({ request: ok(1), date: failed, host: { ok: false, reason: 'own' } }, 'the end')
  expect(Object.keys(checks)).toEqual(CHECK_NAMES)
  expect(checks.request).toEqual({ outcome: 'pass' })
  expect(checks.date).toEqual({ check: 'date', outcome: 'fail', code: 'date-missing', message: failed.message })
  expect(checks.date).toBe(failures[0])
  expect(checks.host).toEqual({ outcome: 'not-run', reason: 'own' })
  expect(checks.replay).toEqual({ outcome: 'not-run', reason: 'the end' })
})

test('a verdict has its own copy of the evidence, lists included', () => {
  const step = fail('coverage-absent', { absent: ['date'] })
  const { failures } = refuse({ coverage: step }, '')
  const evidence = failures[0]?.evidence as { absent: string[] }
  expect(evidence).toEqual(step.evidence)
  evidence.absent.push('host')
  expect(step.evidence).toEqual({ absent: ['date'] })
})

test('carries a cause that neither a log nor a copy shows', () => {
  const cause = new Error('secret')
  const refused = refuse({ key: withCause({ ...undecided }, cause), date: failed }, '')
  expect(refused.failures.map(failure => failure.cause)).toEqual([undefined, cause])
  expect(refused.checks.key).toBe(refused.failures[1])
  expect(Object.keys(refused.failures[1]!)).toEqual(['check', 'outcome', 'code', 'message', 'evidence'])
  expect('cause' in refused.failures[0]).toBe(false)
})
