import { describe, expect, it } from 'vitest'
import { createKeyRing } from '../../src/key/key-ring.ts'
import { createTestService } from '../../src/testing/index.ts'

const recordText = (): string => Object.values(createTestService({ rsaBits: 1024 }).records)[0]![0]!.join('')

describe('a key ring', () => {
  it('imports the key of a record once, and finds it again by the text alone', () => {
    const keyOf = createKeyRing({})
    const [first, second] = [recordText(), recordText()]
    const imported = keyOf(first)
    expect(imported?.ok).toBe(true)
    expect(keyOf(second)).not.toBe(imported)
    expect(keyOf(`${first.slice(0, 9)}${first.slice(9)}`)).toBe(imported)
  })

  it('remembers what is no key record, and what is a bad one', () => {
    const keyOf = createKeyRing({})
    expect(keyOf('v=spf1 -all')).toBeUndefined()
    const bad = keyOf('v=DKIM1; p=')
    expect(bad).toMatchObject({ ok: false, code: 'key-revoked' })
    expect(keyOf('v=spf1 -all')).toBeUndefined()
    expect(keyOf('v=DKIM1; p=')).toBe(bad)
  })

  it('forgets the oldest of many, and never keeps a very long text', () => {
    const keyOf = createKeyRing({})
    const oldest = keyOf('v=DKIM1; n=0; p=')
    for (let i = 1; i < 150; i++) keyOf(`v=DKIM1; n=${i}; p=`)
    expect(keyOf('v=DKIM1; n=0; p=')).not.toBe(oldest)
    const long = `v=DKIM1; n=${'x'.repeat(5000)}; p=`
    const read = keyOf(long)
    keyOf('v=DKIM1; n=1; p=')
    expect(keyOf(long)).not.toBe(read)
    expect(keyOf(long)).toEqual(read)
  })
})
