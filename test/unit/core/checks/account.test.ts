import { describe, expect, test } from 'vitest'
import { checkAccount } from '../../../../src/core/checks/account.ts'
import type { ReceivedHeaders } from '../../../../src/core/http/request.ts'
import { contextWith, settingsWith } from '../../../support/checks.ts'
import { failuresOf, verifyWith } from '../../../support/verdicts.ts'

test('reports the configured ids with an id that is not among them', () => {
  const settings = settingsWith({ accounts: ['1234', '77'] })
  const result = checkAccount(contextWith({ settings }, { headers: [['X-Service-ID', 'account-5']] }))
  const evidence = { received: '5', expected: ['1234', '77'] }
  expect(result).toMatchObject({ code: 'account-mismatch', evidence })
})

test('reports ten of many configured ids, and their number', () => {
  const accounts = Array.from({ length: 100_000 }, (_, i) => `id${i}`)
  const result = checkAccount(contextWith({ settings: settingsWith({ accounts }) }))
  expect(result).toMatchObject({ evidence: { expected: accounts.slice(0, 10), expectedCount: 100_000 } })
  const ten = checkAccount(contextWith({ settings: settingsWith({ accounts: accounts.slice(0, 10) }) }))
  expect((ten as { evidence: object }).evidence).not.toHaveProperty('expectedCount')
})

describe('a header that may be the account header', () => {
  const similarTo = (headers: ReceivedHeaders, settings = settingsWith()) => {
    const result = checkAccount(contextWith({ settings }, { headers }))
    return 'code' in result ? (result.evidence as { similar?: string }).similar : result
  }

  test('a header that may be the account header is named when its value is the prefix and an id', () => {
    expect(similarTo([['X-Tenant', 'account-5']])).toBe('X-Tenant: account-5')
    expect(similarTo({ 'X-List': ['account-1', 'account-2'], 'X-Tenant': 'account-5' })).toBe('X-Tenant: account-5')
  })

  test('no header is named as the account header when its value is only the prefix, or the prefix is empty', () => {
    expect(similarTo([['X-Tenant', 'account-']])).toBeUndefined()
    expect(similarTo([['X-Tenant', 'account-5']], settingsWith({ accountPrefix: '' }))).toBeUndefined()
  })
})

describe('askAccounts', () => {
  test.each([
    [null, 'null'],
    [undefined, 'undefined'],
    [0, 'number'],
    ['yes', 'string'],
    [{}, 'object'],
    [[], 'array'],
    [() => true, 'function']
  ])('takes %j, at once or later, for a failure of the function, and names its type', async (answer, type) => {
    for (const accounts of [() => answer, async () => answer]) {
      const verdict = await verifyWith({ accounts: accounts as never })
      expect(failuresOf(verdict)).toEqual(['account: account-check-failed'])
      expect(verdict.failures[0]?.evidence).toMatchObject({ error: `it returned ${type} instead of true or false` })
    }
  })
})
