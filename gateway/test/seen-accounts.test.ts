import { expect, test } from 'vitest'
import { accountFlags, noteAccounts } from '../src/seen-accounts.ts'

const ids = (count: number) => Array.from({ length: count }, (_, n) => `${n + 1}`)

test('the first twenty accounts are remembered, and each is asked about', () => {
  const seen = new Set<string>()
  const accepts = noteAccounts(id => id === '21', seen)
  expect(ids(21).map(accepts)).toEqual(ids(21).map(id => id === '21'))
  expect([...seen]).toEqual(ids(20))
})

test('accounts are written as flags, quoted for a shell where that is needed', () => {
  expect(accountFlags(['1234', "a'b"])).toBe("--account 1234 --account 'a'\\''b'")
})
