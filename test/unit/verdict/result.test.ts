import { describe, expect, it } from 'vitest'
import { fail, ok, withCause } from '../../../src/verdict/result.ts'

describe('fail', () => {
  it('has the message of its code, and evidence only where there is some', () => {
    expect(fail('date-missing')).toStrictEqual({
      ok: false,
      code: 'date-missing',
      message: expect.any(String)
    })
    expect(fail('date-malformed', { received: 'x' })).toStrictEqual({
      ok: false,
      code: 'date-malformed',
      message: expect.any(String),
      evidence: { received: 'x' }
    })
  })
})

describe('ok', () => {
  it('has the value', () => {
    expect(ok(0)).toStrictEqual({ ok: true, value: 0 })
  })
})

describe('withCause', () => {
  it('adds a cause that is not enumerable, and can be replaced or removed', () => {
    const failure = { code: 'x' }
    const cause = new Error('gone')
    expect(withCause(failure, cause)).toBe(failure)
    expect(Object.getOwnPropertyDescriptor(failure, 'cause')).toEqual({
      value: cause,
      enumerable: false,
      configurable: true,
      writable: true
    })
  })
})
