import { expect, test } from 'vitest'
import { service, verifyWith } from '../../support/checks.ts'
import { failuresOf } from '../../support/verdicts.ts'

test('tries four key records at one name, and no fifth', async () => {
  const [good] = Object.values(service.records)[0]!
  const other = ['v=DKIM1; p=']
  const at = (position: number) => Array.from({ length: 5 }, (_, i) => (i === position ? good! : other))
  expect(failuresOf(await verifyWith({ lookupTxt: async () => at(3) }))).toEqual([])
  expect(failuresOf(await verifyWith({ lookupTxt: async () => at(4) }))).toEqual(['key: key-revoked'])
})

test('reports the record with its fault', async () => {
  const verdict = await verifyWith({ lookupTxt: async () => [['v=DKIM1; k=dsa; p=AA==']] })
  expect(verdict.failures[0]).toMatchObject({
    code: 'key-type-mismatch',
    evidence: { name: 'key1._domainkey.service.example', record: 'v=DKIM1; k=dsa; p=AA==' }
  })
})
