import { expect, test } from 'vitest'
import { verifyWith } from '../../../support/verdicts.ts'

test('reports the record with its fault', async () => {
  const verdict = await verifyWith({ lookupTxt: async () => [['v=DKIM1; k=dsa; p=AA==']] })
  expect(verdict.failures[0]).toMatchObject({
    code: 'key-type-mismatch',
    evidence: { name: 'key1._domainkey.service.example', record: 'v=DKIM1; k=dsa; p=AA==' }
  })
})
