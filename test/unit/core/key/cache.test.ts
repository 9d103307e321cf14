import { expect, test } from 'vitest'
import { createKeyCache } from '../../../../src/core/key/cache.ts'
import { createTestService } from '../../../../src/testing/index.ts'

const recordText = (): string => Object.values(createTestService({ rsaBits: 1024 }).records)[0]![0]!.join('')

test('imports the key of a record once, and finds it again by the text alone', () => {
  const keyOf = createKeyCache({})
  const [first, second] = [recordText(), recordText()]
  const imported = keyOf(first)
  expect(imported?.ok).toBe(true)
  expect(keyOf(second)).not.toBe(imported)
  expect(keyOf(`${first.slice(0, 9)}${first.slice(9)}`)).toBe(imported)
})

test('remembers bad records, and no text that is not a key record', () => {
  const keyOf = createKeyCache({})
  expect(keyOf('v=spf1 -all')).toBeUndefined()
  const bad = keyOf('v=DKIM1; p=')
  expect(bad).toMatchObject({ ok: false, code: 'key-revoked' })
  expect(keyOf('v=spf1 -all')).toBeUndefined()
  expect(keyOf('v=DKIM1; p=')).toBe(bad)
})

test('keeps sixteen records, and drops the first of them for the next one', () => {
  const keyOf = createKeyCache({})
  const numbered = (i: number) => keyOf(`v=DKIM1; n=${i}; p=`)
  const [oldest, next] = [numbered(0), numbered(1)]
  for (let i = 2; i <= 16; i++) numbered(i)
  expect(numbered(1)).toBe(next)
  expect(numbered(0)).not.toBe(oldest)
  expect(numbered(0)).toEqual(oldest)
})

test('other records of the name, however many, do not push a key out', () => {
  const keyOf = createKeyCache({})
  const text = recordText()
  const imported = keyOf(text)
  for (let i = 0; i < 100; i++) expect(keyOf(`v=spf1 include:${i}.example -all`)).toBeUndefined()
  expect(keyOf(text)).toBe(imported)
})

test('never keeps a text of more than 4096 characters', () => {
  const keyOf = createKeyCache({})
  const textOf = (length: number) => 'v=DKIM1; p=; n='.padEnd(length, 'x')
  const [long, longer] = [keyOf(textOf(4096)), keyOf(textOf(4097))]
  expect(keyOf(textOf(4096))).toBe(long)
  expect(keyOf(textOf(4097))).not.toBe(longer)
  expect(keyOf(textOf(4097))).toEqual(longer)
})
