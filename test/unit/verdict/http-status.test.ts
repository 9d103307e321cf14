import { expect, test } from 'vitest'
import { httpStatus } from '../../../src/verdict/http-status.ts'
import { fail, ok } from '../../../src/verdict/result.ts'
import { refuse, type Steps, type Verified } from '../../../src/verdict/verdict.ts'

const tooLarge = fail('body-too-large', { limit: 5 })

test.each<[number, string, Steps]>([
  [401, 'a check that failed', { date: fail('date-missing') }],
  [413, 'a body that is too large', { request: ok(1), digest: tooLarge }],
  [401, 'a body that is too large among other failures', { date: fail('date-missing'), digest: tooLarge }],
  [
    401,
    'another failure behind a body that is too large',
    { digest: tooLarge, replay: fail('replayed', { replayId: 'r' }) }
  ],
  [503, 'a check that could not be decided', { key: fail('key-lookup-timeout', { name: 'k', error: 'E' }) }]
])('%i: %s', (status, _, steps) => {
  expect(httpStatus(refuse(steps, ''))).toBe(status)
})

test('200: verified', () => {
  const verified = { status: 'verified', failures: [], checks: {} } as unknown as Verified
  expect(httpStatus(verified)).toBe(200)
})
