import { expect, test } from 'vitest'
import { createTestService } from '../../../src/testing/index.ts'
import { leastSyncTime } from '../../support/cpu-time.ts'

test('the test service costs little enough for a beforeEach: at most 40 ms of processor time', () => {
  expect(leastSyncTime(createTestService, 10)).toBeLessThan(40)
})
