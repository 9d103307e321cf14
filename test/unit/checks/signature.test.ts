import { expect, test } from 'vitest'
import { createTestService } from '../../../src/testing/index.ts'
import { service, verifyWith } from '../../support/checks.ts'
import { failuresOf } from '../../support/verdicts.ts'

test('verifies with either key of a rotation', async () => {
  const other = createTestService({ rsaBits: 1024 })
  const [good] = Object.values(service.records)[0]!
  const [bad] = Object.values(other.records)[0]!
  for (const records of [
    [good!, bad!],
    [bad!, good!]
  ]) {
    expect(failuresOf(await verifyWith({ lookupTxt: async () => records }))).toEqual([])
  }
  expect(failuresOf(await verifyWith({ lookupTxt: async () => [bad!] }))).toEqual([
    'signature: signature-mismatch'
  ])
})

test('shows the signing string as it was rebuilt from what was received', async () => {
  const request = service.sign({ target: '/hook' })
  const verdict = await verifyWith({}, { ...request, target: '/other' })
  expect(verdict.failures[0]?.evidence).toMatchObject({
    signingString: expect.stringMatching(/^\(request-target\): get \/other\n/),
    keyId: 'key1._domainkey.service.example',
    algorithm: 'rsa-sha256'
  })
})
