import { expect, test } from 'vitest'
import { parseKeyName } from '../../../src/key/name.ts'

test.each([
  ['one._domainkey.service.example', { name: 'one._domainkey.service.example' }],
  ['ONE.Service.Example.', { name: 'one.service.example' }],
  ['service.example', { problem: 'outside-domain' }],
  ['oneservice.example', { problem: 'outside-domain' }],
  ['xn--a.service.example', { problem: 'malformed' }],
  ['a..service.example', { problem: 'malformed' }],
  [`${'a.'.repeat(119)}service.example`, { name: `${'a.'.repeat(119)}service.example` }],
  [`${'a.'.repeat(120)}service.example`, { problem: 'malformed' }]
])('parses the keyId %s', (keyId, parsed) => {
  expect(parseKeyName(keyId, 'service.example')).toEqual(parsed)
})
