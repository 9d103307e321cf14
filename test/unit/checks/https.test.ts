import { expect, test } from 'vitest'
import { service, verifyWith } from '../../support/checks.ts'
import { failuresOf } from '../../support/verdicts.ts'

test('accepts a request without TLS only if the receiver allows it', async () => {
  const request = { ...service.sign(), https: false }
  expect(failuresOf(await verifyWith({}, request))).toEqual(['https: not-https'])
  expect(failuresOf(await verifyWith({ requireHttps: true }, request))).toEqual(['https: not-https'])
  expect(failuresOf(await verifyWith({ requireHttps: false }, request))).toEqual([])
})
