import { expect, test } from 'vitest'
import { errorLabel, fail, withCause } from '../../../../src/core/result/result.ts'

test('a failure has the message of its code, and evidence only where there is some', () => {
  const message = expect.any(String)
  expect(fail('date-missing')).toStrictEqual({ ok: false, code: 'date-missing', message })
  const evidence = { received: 'x', reason: 'y' }
  expect(fail('date-malformed', evidence)).toStrictEqual({ ok: false, code: 'date-malformed', message, evidence })
})

test('a cause is not enumerable, and can be replaced or removed', () => {
  const failure = { code: 'x' }
  const value = new Error('gone')
  expect(withCause(failure, value)).toBe(failure)
  const expected = { value, enumerable: false, configurable: true, writable: true }
  expect(Object.getOwnPropertyDescriptor(failure, 'cause')).toEqual(expected)
})

const withGetter = Object.defineProperty({}, 'code', { get: () => expect.fail('no') })

test.each<[string, unknown, string]>([
  ['the code of an error', Object.assign(new Error('secret'), { code: 'ECONNRESET' }), 'ECONNRESET'],
  ['the name of an error without a code', new TypeError('secret'), 'TypeError'],
  ['the name where the code is a number', { code: 1, name: 'MyError' }, 'MyError'],
  ['a constant for undefined', undefined, 'an error without a name'],
  ['a constant for null', null, 'an error without a name'],
  ['a constant for text, which may hold a secret', 'secret', 'an error without a name'],
  ['a constant where the name is not text', { name: 1 }, 'an error without a name'],
  ['a constant for an error whose getter throws', withGetter, 'an error without a name']
])('the label of an error is %s', (_, error, label) => expect(errorLabel(error)).toBe(label))
