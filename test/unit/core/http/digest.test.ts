import { expect, test } from 'vitest'
import { parseDigestHeader } from '../../../../src/index.ts'

const read = (text: string): unknown => {
  const result = parseDigestHeader(text)
  return result.ok
    ? result.value.map(({ algorithm, value }) => [algorithm, Buffer.from(value).toString('latin1')])
    : [result.code, result.evidence]
}

const SHA_256 = 'A'.repeat(43)
const SHA_512 = 'A'.repeat(86)

test('digests in their order: base64 decoded, anything else as its octets', () => {
  expect(read('MD5=aGVsbG8=, UNIXsum=30637 ,\tx=!a.b-c:d~')).toEqual([
    ['md5', 'hello'],
    ['unixsum', '30637'],
    ['x', '!a.b-c:d~']
  ])
})

test.each(['x=a"b', 'x="ab', 'x=ab"', 'x=a b', 'x=\x7f', 'x=a\x7f', 'x=\xe9', 'x=\xe9a'])('rejects %j', text => {
  expect(read(text)).toEqual([
    'digest-malformed',
    { received: text, reason: 'a x digest is not canonical base64 of the right length' }
  ])
})

test.each([
  ['SHA-256', SHA_256, '='],
  ['SHA-512', SHA_512, '==']
])('%s has one spelling of each value', (name, letters, padding) => {
  const bytes = name === 'SHA-256' ? 32 : 64
  expect(read(`${name}=${letters}${padding}`)).toEqual([[name.toLowerCase(), '\0'.repeat(bytes)]])
  const one = letters.slice(1)
  for (const other of [`A${letters}`, one, `${one}B`, `-${one}`, `*${letters}`]) {
    expect(read(`${name}=${other}${padding}`)).toEqual(['digest-malformed', expect.anything()])
  }
  for (const end of ['', '===', `${padding}A`, `${padding} `.concat('A')]) {
    expect(read(`${name}=${letters}${end}`)).toEqual(['digest-malformed', expect.anything()])
  }
})

test('accepts a hundred digests, and no more', () => {
  const hundred = Array.from({ length: 100 }, () => 'md5=AA==').join()
  expect(read(hundred)).toHaveLength(100)
  expect(read(`${hundred},md5=AA==`)).toEqual([
    'digest-malformed',
    { received: `${hundred},md5=AA==`, reason: 'there are more than 100 digests' }
  ])
})
