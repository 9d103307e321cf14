import { expect, test } from 'vitest'
import { createVerifier, httpStatus } from '../src/index.ts'
import { createTestService } from '../src/testing/index.ts'

test('a web stream over the limit is left where it is: to cancel it would cut off the answer', async () => {
  const service = createTestService()
  const verify = createVerifier({ ...service.options, maxBodyBytes: 10 })
  const signed = service.sign({ body: '0123456789a' })
  let cancelled = false
  const body = new ReadableStream({
    pull: controller => controller.enqueue(Buffer.from('0123456789a')),
    cancel: () => {
      cancelled = true
    }
  })
  const verdict = await verify({ ...signed, body })
  expect(httpStatus(verdict)).toBe(413)
  expect({ cancelled, locked: body.locked }).toEqual({ cancelled: false, locked: false })
})
