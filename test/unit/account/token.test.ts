import { describe, expect, test } from 'vitest'
import { expiryOf, parseToken, renewalTime } from '../../../src/account/token.ts'

// RFC 7519 section 3.1, the example JWT: exp 1300819380.
const RFC7519 =
  'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

describe('the token in a response', () => {
  test.each([
    ['plain text', RFC7519],
    ['plain text with white space around', ` \r\n${RFC7519}\n`],
    ['after a byte order mark', `\ufeff${RFC7519}`],
    ['a JSON string', JSON.stringify(RFC7519)],
    ['authorization_token', JSON.stringify({ authorization_token: RFC7519 })],
    ['token', JSON.stringify({ token: RFC7519 })],
    ['access_token', JSON.stringify({ access_token: RFC7519, token_type: 'Bearer', expires_in: 86400 })],
    ['jwt', JSON.stringify({ jwt: RFC7519 })],
    ['a pretty JSON object', `\n${JSON.stringify({ a: 1, token: RFC7519 }, null, 2)}\n`],
    ['the first field that holds a token', JSON.stringify({ jwt: 'c', token: null, access_token: RFC7519 })],
    [
      'the order of the fields',
      JSON.stringify({ jwt: 'd', access_token: 'c', token: 'b', authorization_token: RFC7519 })
    ],
    ['the access token echoed beside it', JSON.stringify({ access_token: 'the-access-token', jwt: RFC7519 })]
  ])('the token is found in a response: %s', (_, body) => expect(parseToken(body, 'the-access-token')).toBe(RFC7519))

  test('every visible character of ASCII, up to 8192 of them', () => {
    const visible = Array.from({ length: 94 }, (_, i) => String.fromCharCode(0x21 + i)).join('')
    expect(visible).toMatch(/^!.*~$/)
    expect(parseToken(visible, 'x')).toBe(visible)
    expect(parseToken(JSON.stringify(visible), 'x')).toBe(visible)
    expect(parseToken(JSON.stringify({ token: visible }), 'x')).toBe(visible)
    for (const token of [
      '1|abc',
      'a=b',
      '==',
      'a,b;c',
      "it's",
      '<token',
      '%7B%7D',
      'nullable',
      'trueish',
      'falsehood'
    ]) {
      expect(parseToken(token, 'x')).toBe(token)
    }
    expect(parseToken('a'.repeat(8192), 'x')).toHaveLength(8192)
  })

  test.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['an HTML page', '<!doctype html><title>Maintenance</title>'],
    ['HTML without white space', '<p>x</p>'],
    ['two words', 'not found'],
    ['two lines', 'a\nb'],
    ['a tab inside', 'a\tb'],
    ['a line break inside JSON', '"a\\r\\nX-Injected: 1"'],
    ['white space inside JSON', '" a"'],
    ['NUL', 'a\0b'],
    ['not ASCII', 'tokén'],
    ['Bearer before it', 'Bearer abc'],
    ['too long', 'a'.repeat(8193)],
    ['broken JSON', '{"token":"abc"'],
    ['an empty JSON string', '""'],
    ['an empty object', '{}'],
    ['an array', '["abc"]'],
    ['null', 'null'],
    ['true', 'true'],
    ['a number in the field', '{"token":1}'],
    ['an object in the field', '{"token":{"value":"abc"}}'],
    ['an inherited field', '{"__proto__":{"token":"abc"}}'],
    ['another field', '{"error":"invalid"}'],
    ['the access token sent back', 'the-access-token'],
    ['the form sent back', 'access_token=the-access-token'],
    ['the access token sent back in JSON', '{"access_token":"the-access-token"}']
  ])('there is no token in: %s', (_, body) => expect(parseToken(body, 'the-access-token')).toBeUndefined())
})

test('no access token sent back is a token, however short', () => expect(parseToken('abc', 'abc')).toBeUndefined())

const jwt = (payload: string) => `e30.${Buffer.from(payload).toString('base64url')}.c2ln`

describe('exp', () => {
  test('the exp of the example in RFC 7519 is read', () => expect(expiryOf(RFC7519)).toBe(1_300_819_380_000))

  test('exp may have a fraction, and other claims may be in any script', () => {
    expect(expiryOf(jwt('{"exp":1.5}'))).toBe(1500)
    expect(expiryOf(jwt('{"name":"Жанна ÿÿÿ>>>???","exp":2}'))).toBe(2000)
  })

  test.each([
    ['opaque', 'opaque'],
    ['two parts', jwt('{"exp":1}').split('.').slice(0, 2).join('.')],
    ['five parts', 'e30.a.b.c.d'],
    ['no base64url', 'e30.%%%.c2ln'],
    ['a payload of impossible length', 'e30.a.c2ln'],
    ['an empty payload', 'e30..c2ln'],
    ['not JSON', jwt('exp=1')],
    ['not an object', jwt('1')],
    ['null', jwt('null')],
    ['none', jwt('{"iat":1}')],
    ['a string', jwt('{"exp":"1"}')],
    ['an inherited one', jwt('{"__proto__":{"exp":1}}')]
  ])('exp is ignored when it is unreadable: %s', (_, token) => expect(expiryOf(token)).toBeUndefined())
})

describe('the time of the renewal', () => {
  const HOUR = 3_600_000
  test.each([
    ['opaque: 24 hours less five minutes', 'opaque', 24 * HOUR - 300_000],
    ['exp later than 24 hours', jwt(`{"exp":${30 * 3600}}`), 24 * HOUR - 300_000],
    ['exp beyond all numbers', jwt('{"exp":1e999}'), 24 * HOUR - 300_000],
    ['exp in an hour', jwt('{"exp":3600}'), HOUR - 300_000],
    ['exp in ten minutes', jwt('{"exp":600}'), 540_000],
    ['exp in the past, as when our clock is ahead: 24 hours', jwt('{"exp":-600}'), 24 * HOUR - 300_000],
    ['exp now', jwt('{"exp":0}'), 24 * HOUR - 300_000],
    ['exp in an hour, whatever iat says', jwt('{"iat":-9999999,"exp":3600}'), HOUR - 300_000]
  ])('a token is renewed in time: %s', (_, token, expected) => {
    expect(renewalTime(token, 0)).toBe(expected)
    // Beyond 2^53 the sums round; at today's dates they do not.
    if (token === 'opaque') expect(renewalTime(token, 1_790_000_000_000)).toBe(1_790_000_000_000 + expected)
  })
})
