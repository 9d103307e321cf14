import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { rsaPublicKey, rsaSpki } from '../../../../fixtures/source/der.ts'
import { parseRsaDer } from '../../../../src/core/key/rsa-der.ts'
import { modulusOf } from '../../../support/rsa.ts'

const N = (1n << 2047n) + 1n
const GOOD = { bits: 2048, modulus: Buffer.from(N.toString(16), 'hex'), isExponentGood: true }
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const SMALL = { bits: 3, modulus: hex('07'), isExponentGood: true }
const replaced = (der: Buffer, from: string, to: string) => hex(der.toString('hex').replace(from, to))

test.each([512, 1024, 1025, 1031, 2048])('reads what the runtime writes, %d bits', modulusLength => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength })
  for (const form of ['pkcs1', 'spki'] as const) {
    const der = publicKey.export({ type: form, format: 'der' })
    const modulus = modulusOf(publicKey)
    expect(parseRsaDer(der)).toEqual({ form, bits: modulusLength, modulus, isExponentGood: true })
    expect(parseRsaDer(Buffer.concat([der, hex('00')]))).toBe('surplus')
    for (const end of [1, 2, 5, der.length >> 1, der.length - 1]) {
      expect(parseRsaDer(der.subarray(0, end))).toBeUndefined()
    }
  }
})

const GOOD_EXPONENTS = [3n, 257n, 65537n, (1n << 32n) + 1n, (1n << 33n) - 1n]
const BAD_EXPONENTS = [0n, 1n, 2n, 256n, 65536n, (1n << 33n) + 1n, (1n << 64n) + 1n]

test.each([
  ...GOOD_EXPONENTS.map(exponent => [exponent, true] as const),
  ...BAD_EXPONENTS.map(exponent => [exponent, false] as const)
])('the exponent %s: %s', (exponent, isExponentGood) => {
  expect(parseRsaDer(rsaPublicKey(N, exponent))).toEqual({ ...GOOD, form: 'pkcs1', isExponentGood })
  expect(parseRsaDer(rsaSpki(N, exponent))).toEqual({ ...GOOD, form: 'spki', isExponentGood })
})

test.each([0n, 1n, 127n, 255n, 256n, 65535n])('counts the bits of the modulus %s', modulus => {
  const bits = modulus === 0n ? 0 : modulus.toString(2).length
  expect(parseRsaDer(rsaPublicKey(modulus, 3n))).toMatchObject({ bits })
})

test.each([
  ['nothing', ''],
  ['a tag alone', '30'],
  ['an empty sequence', '3000'],
  ['no exponent', '3003 020107'],
  ['three integers', '3009 020107 020103 020101'],
  ['an empty modulus', '3005 0200 020103'],
  ['an empty exponent', '3005 020107 0200'],
  ['a negative modulus', '3006 020187 020103'],
  ['the most negative modulus of one octet', '3006 020180 020103'],
  ['a negative exponent', '3006 020107 020183'],
  ['a zero too many before the modulus', '3007 02020007 020103'],
  ['a zero too many before the exponent', '3007 020107 02020003'],
  ['a length in the long form that the short one holds', '308106 020107 020103'],
  ['a length with a zero in front', '30820006 020107 020103'],
  ['a long length with a zero in front', replaced(rsaPublicKey(N, 65537n), '3082', '308300').toString('hex')],
  ['the indefinite length', '3080 020107 020103 0000'],
  ['the indefinite length, with as many octets as its number', `3080 0279 07${'00'.repeat(120)} 0203 010001`],
  ['a length of which octets are missing', '3084 01'],
  ['a length of many octets', `30ff ${'ff'.repeat(127)}`],
  ['a length beyond the end', '3007 020107 020103'],
  ['an octet string for the exponent', '3006 020107 040103']
])('does not read %s', (_, der) => expect(parseRsaDer(hex(der))).toBeUndefined())

test('reads the same without the fault', () => {
  expect(parseRsaDer(hex('3006 020107 020103'))).toEqual({ ...SMALL, form: 'pkcs1' })
})

describe('of SubjectPublicKeyInfo', () => {
  const spki = rsaSpki(7n, 3n)
  const text = spki.toString('hex')
  const RSA = '300d06092a864886f70d0101010500'

  test.each([
    ['no parameters', hex(text.replace(RSA, '300b06092a864886f70d010101').replace(/^301a/, '3018'))],
    ['parameters that are not NULL', replaced(spki, '0500', '3000')],
    ['unused bits', replaced(spki, '03090030', '03090130')],
    ['an empty bit string', hex(`3011${RSA}0300`)],
    ['no bit string', hex(`300f${RSA}`)],
    ['bytes after the key', hex(text.replace('03090030', '030a0030').replace(/^301a/, '301b').concat('00'))],
    ['no object identifier', hex('3008 3000 0304 0030 0102')]
  ])('SubjectPublicKeyInfo is not read %s', (_, der) => expect(parseRsaDer(der)).toBeUndefined())

  test('reads the same without the fault', () => {
    expect(parseRsaDer(spki)).toEqual({ ...SMALL, form: 'spki' })
  })

  test('recognizes a key of another type', () => {
    const pairs = [
      generateKeyPairSync('ec', { namedCurve: 'P-256' }),
      generateKeyPairSync('rsa-pss', { modulusLength: 1024 })
    ]
    for (const { publicKey } of pairs)
      expect(parseRsaDer(publicKey.export({ type: 'spki', format: 'der' }))).toBe('other')
  })
})
