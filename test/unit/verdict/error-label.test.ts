import { expect, test } from 'vitest'
import { errorLabel } from '../../../src/verdict/error-label.ts'

const withGetter = Object.defineProperty({}, 'code', {
  get() {
    throw new Error('no')
  }
})

test.each<[string, unknown, string]>([
  ['the code of an error', Object.assign(new Error('secret'), { code: 'ECONNRESET' }), 'ECONNRESET'],
  ['the name of an error without a code', new TypeError('secret'), 'TypeError'],
  ['the name where the code is a number', { code: 1, name: 'MyError' }, 'MyError'],
  ['a constant for undefined', undefined, 'an error without a name'],
  ['a constant for null', null, 'an error without a name'],
  ['a constant for text, which may hold a secret', 'secret', 'an error without a name'],
  ['a constant where the name is not text', { name: 1 }, 'an error without a name'],
  ['a constant for an error whose getter throws', withGetter, 'an error without a name']
])('is %s', (_, error, label) => {
  expect(errorLabel(error)).toBe(label)
})
