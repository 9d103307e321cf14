import { expect, test } from 'vitest'
import { parseSignatureHeader } from '../../../../../src/index.ts'

const END = 'keyId="a",signature="eA=="'
const read = (text: string): unknown => {
  const result = parseSignatureHeader(text)
  return result.ok ? result.value : [result.code, result.evidence]
}
const malformed = (position: number, reason: string) => ['signature-malformed', { position, reason }]
const A_VALUE = 'a quoted string is expected, or an integer for a time'
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

test.each(['1000000000000000', '00', '01', '-1', '1.0', ''])('rejects %j as created', time => {
  expect(read(`created=${time},${END}`)).toEqual(malformed(8, A_VALUE))
})

test.each(['', 'keyId', 'key Id="a"', '="a"', ',', '"a"'])('%j begins with no parameter', text => {
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
  expect(read(`${END},${text}`)).toEqual(malformed(END.length + 3, A_VALUE))
})

test.each([
  ['another parameter whose name ends so', `${END},xsignature="AAAA"`],
  ['another parameter in other letters', `${END},Signature="AAAA"`],
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
  [`${END},`, malformed(END.length + 1, A_PARAMETER)],
  [`${END} ,`, malformed(END.length + 2, A_PARAMETER)],
  [`${END};`, malformed(END.length, 'a comma is expected')],
  [`${END} \tx`, malformed(END.length + 2, 'a comma is expected')],
  [`${END},keyId="b"`, ['signature-parameter-repeated', { parameter: 'keyId' }]],
  [`${END},keyId="b" x`, ['signature-parameter-repeated', { parameter: 'keyId' }]],
  [`${END},keyId=b`, ['signature-parameter-repeated', { parameter: 'keyId' }]]
])('says what follows the last parameter of %j, and where', (text, expected) => {
  expect(read(text)).toEqual(expected)
})
