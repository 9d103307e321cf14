import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { base64Digest } from '../../../src/core/http/digest.ts'
import { createClaims } from '../../../src/core/replay/claim.ts'
import { memoryReplayStore } from '../../../src/replay/index.ts'

test('an id that the verifier claims takes at most 300 bytes of heap, its token included', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const count = 50_000
  const { claim } = createClaims(memoryReplayStore(), 1000)
  collect()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < count; n++) await claim(base64Digest('sha256', Buffer.from(`${n}`)), 60)
  collect()
  expect((process.memoryUsage().heapUsed - before) / count).toBeLessThan(300)
  expect(await claim(base64Digest('sha256', Buffer.from('0')), 60)).toMatchObject({ code: 'replayed' })
})
