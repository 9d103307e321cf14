import { expect, test } from 'vitest'
import { isOutside } from '../../../src/explain/outside-errors.ts'
import { duration, escapeText, plural } from '../../../src/explain/text.ts'

test.each([
  ['a\\b', 'a\\\\b'],
  ['a\n', 'a\\x0a'],
  ['\x1b[2J', '\\x1b[2J'],
  ['\xff', '\\xff'],
  ['\u0101', '\\u0101'],
  ['\u202e', '\\u202e'],
  ['a ', 'a\\x20'],
  ['a b', 'a b']
])('the text %j is printed as %s', (text, shown) => {
  expect(escapeText(text)).toBe(shown)
})

test('a long text is cut, and says how much is missing', () => {
  expect(escapeText('abcdef', 4)).toBe('abcd... (2 more)')
  expect(escapeText('abcd', 4)).toBe('abcd')
  expect(escapeText('x'.repeat(241))).toBe(`${'x'.repeat(240)}... (1 more)`)
})

test.each([
  [1, '1 second'],
  [119, '119 seconds'],
  [120, '2 minutes'],
  [7199, '120 minutes'],
  [7200, '2 hours'],
  [172_799, '48 hours'],
  [172_800, '2 days']
])('%i seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text)
})

test('one is not in the plural', () => {
  expect([0, 1, 2].map(count => plural(count, 'byte'))).toEqual(['0 bytes', '1 byte', '2 bytes'])
})

test.each([
  ...['EPIPE', 'EPROTO', 'ENETUNREACH', 'EHOSTDOWN', 'EAI_AGAIN', 'ABORT_ERR', 'ENOMEM', 'UND_ERR_SOCKET'],
  ...['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN', 'ECONNREFUSED'],
  ...['08006', '53300', 'XX000', 'SQLITE_BUSY', 'ERR_SQLITE_ERROR', 'MISCONF', 'MOVED']
])('an error with the label %s came from outside', label => {
  expect(isOutside(label)).toBe(true)
})

test.each([
  ...['TypeError', 'Error', 'constructor', 'XEPIPE', 'EPIPEX', 'XENOMEM', 'EOFX', 'XUND_ERR_SOCKET', 'UND_ERR_SOCKETS'],
  ...['XCERT_X', 'UNABLE', '42P0', '42P011', '23505', 'XSQLITE_BUSY', 'SQLITE_busy', 'XMOVED', 'MOVEDX', '']
])('an error with the label %j came from the code of the receiver', label => {
  expect(isOutside(label)).toBe(false)
})
