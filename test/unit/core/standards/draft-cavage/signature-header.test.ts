import { expect, test } from 'vitest'
import { parseSignatureHeader } from '../../../../../src/index.ts'

const END = 'keyId="a",signature="eA=="'
const read = (text: string): unknown => {
  const result = parseSignatureHeader(text)
  return result.ok ? result.value : [result.code, result.evidence]
}
const malformed = (position: number, reason: string) => ['signature-malformed', { position, reason }]
const A_TIME = 'seconds since 1970 are expected, without quotes: created=1795176000'
const AN_END = 'the closing quote is missing'
const PARAMETERS = 'parameters are expected: keyId="...",signature="..."'
const A_PARAMETER = 'a parameter name and an equals sign are expected'
const headersOf = (list: string): unknown => {
  const result = parseSignatureHeader(`headers="${list}",${END}`)
  return result.ok ? result.value.headers : result.code
}

test('omits absent parameters', () => {
  const value = { keyId: 'a', headers: ['(created)'], signature: new TextEncoder().encode('x') }
  expect(parseSignatureHeader(END)).toStrictEqual({ ok: true, value })
  expect(parseSignatureHeader(`${END},algorithm="",created=0,expires=999999999999999`)).toStrictEqual({
    ok: true,
    value: { ...value, algorithm: '', created: 0, expires: 999_999_999_999_999 }
  })
})

test.each(['1000000000000000', '00', '01', '-1', '1.0', '1.5', '"1"', ''])('rejects %j as created', time => {
  expect(read(`created=${time},${END}`)).toEqual(malformed(8, A_TIME))
})

test.each(['', ',', ' , ,'])('%j has no parameter', text => {
  expect(read(text)).toEqual(malformed(0, PARAMETERS))
})

test.each(['keyId', 'KEYID', 'key Id="a"', '="a"', '"a"'])('%j begins with no parameter', text => {
  expect(read(text)).toEqual(malformed(0, A_PARAMETER))
})

test('accepts a hundred parameters, and no more', () => {
  const parameters = Array.from({ length: 98 }, (_, i) => `x${i}=1`).join()
  expect(read(`${parameters},${END}`)).toMatchObject({ keyId: 'a' })
  const more = `${parameters},y=1,${END}`
  expect(read(more)).toEqual(malformed(more.indexOf('signature='), 'there are more than 100 parameters'))
})

test('returns a fresh array', () => {
  const first = headersOf('date host') as string[]
  first.push('digest')
  expect(headersOf('date host')).toEqual(['date', 'host'])
})

test.each([
  ['extra="\\"",', 'an escaped quote'],
  ['extra="\\\\",', 'an escaped backslash'],
  ['extra="a\\"b\\\\\\"c",', 'several'],
  ['extra="\t\x80\xff",', 'a tab and octets above ASCII']
])('an unknown parameter %j: %s', text => {
  expect(read(text + END)).toMatchObject({ keyId: 'a', headers: ['(created)'] })
})

test.each(['x="\\', 'x="\\"', 'x="a\\', 'x="', 'x=\\"a"', 'x="a\\"'])('%j has no end', text => {
  expect(read(`${END},${text}`)).toMatchObject(['signature-malformed', { position: END.length + 3 }])
})

test.each([
  ['another parameter whose name ends so', `${END},xsignature="AAAA"`],
  ['a value that ends so', `${END},x="signature=\\"AAAA"`],
  ['white space before it', 'keyId="a", \tsignature="eA=="'],
  ['nothing before it', 'signature="eA==",keyId="a"']
])('the signature is found although %s would mislead about its place', (_, text) => {
  const expected = { keyId: 'a', signature: new TextEncoder().encode('x') }
  for (let time = 0; time < 2; time++) expect(read(text)).toMatchObject(expected)
})

test.each(['x="signature="AAAA"', 'x=",signature="AAAA"', 'signature="AAAA"'])('%j after it is refused', text => {
  expect(read(`${END},${text}`)).not.toHaveProperty('keyId')
})

test.each(["'", 'A', '=', ' ', '', '"A', '\\"', '\\'])('ends with a quote, and not with %j', end => {
  const start = 'keyId="a",headers="host date",signature="'
  for (let time = 0; time < 2; time++) {
    expect(read(`${start}AAAA"`)).toHaveProperty('keyId', 'a')
    expect(read(`${start}AAAA${end}`)).not.toHaveProperty('keyId')
  }
})

test.each([
  [`${END};`, malformed(END.length, 'a comma is expected')],
  [`${END} \tx`, malformed(END.length + 2, 'a comma is expected')],
  [`${END},keyId="b"`, ['signature-parameter-repeated', { parameter: 'keyId' }]],
  [`${END},keyId="b" x`, ['signature-parameter-repeated', { parameter: 'keyId' }]],
  [`${END},keyId=b`, ['signature-parameter-repeated', { parameter: 'keyId' }]],
  [`${END},KEYID = b`, ['signature-parameter-repeated', { parameter: 'keyId' }]],
  [`${END},Extra=1,eXTRA=`, ['signature-parameter-repeated', { parameter: 'eXTRA' }]]
])('says what follows the last parameter of %j, and where', (text, expected) => {
  expect(read(text)).toEqual(expected)
})

const SIGNED = { keyId: 'a', signature: new TextEncoder().encode('x') }

test.each([
  ['white space at the equals sign', 'keyId \t=\t "a",signature= "eA=="'],
  ['names in another case', 'KEYID="a",SIGNATURE="eA=="'],
  ['a comma at the end, at the start, and two', `,, ${END.replace(',', ', ,')} , ,`],
  ['a token for a quoted string', 'keyId=a,signature="eA=="'],
  ['an unknown parameter without a value', `extra,${END}`],
  ['an unknown parameter with half a value', `extra=,${END}`],
  ['an unknown parameter that is no token', `(extra) = [1; 2],${END}`]
])('reads %s', (_, text) => expect(read(text)).toEqual({ ...SIGNED, headers: ['(created)'] }))

test.each([
  ['1.5', 1.5],
  ['1795846526.25', 1_795_846_526.25],
  ['12345678901234.5', 12_345_678_901_234.5]
])('reads expires=%s', (text, expires) => expect(read(`expires=${text},${END}`)).toMatchObject({ expires }))

test.each(['1.50', '1.', '.5', '0.5', '01.5', '1e9', '1.5e9', '1.5.5', '-1.5', '123456789012345.5', '"1.5"'])(
  'refuses expires=%s',
  text => expect(read(`expires=${text},${END}`)).toMatchObject(['signature-malformed', { position: 8 }])
)

test.each([
  ['keyId=', 6, 'a quoted string is expected: keyId="..."'],
  ['keyId=a b', 6, 'a quoted string is expected: keyId="..."'],
  ['keyId="a" b', 10, 'a comma is expected'],
  ['signature=eA==', 10, 'a quoted string is expected: signature="..."'],
  ['headers="date', 8, AN_END],
  ['extra="a', 6, AN_END],
  ['extra="a"b', 9, 'a comma is expected'],
  ['extra=a"b"', 7, 'a comma is expected'],
  ['extra=[\\]', 6, 'a value is expected: a token, or text in quotes'],
  ['extra="\x01"', 6, 'the quoted string has a control character'],
  ['"extra"', 0, 'a parameter name and an equals sign are expected'],
  ['Signature keyId="a"', 0, 'a parameter name and an equals sign are expected']
])('refuses %j, and says where and what is expected', (text, position, reason) => {
  expect(read(text)).toEqual(malformed(position, reason))
  expect(read(`x="1",${text},${END}`)).not.toHaveProperty('keyId')
})

test('an unknown parameter is skipped in linear time', () => {
  for (const text of ['(', '= ', ' ='.repeat(20_000), 'a ,'.repeat(99), `${' '.repeat(100_000)}x`]) {
    const start = performance.now()
    read(text.repeat(10))
    expect(performance.now() - start).toBeLessThan(200)
  }
})
