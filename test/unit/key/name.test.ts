import { expect, test } from 'vitest'
import { parseKeyName } from '../../../src/key/name.ts'

test.each([
  ['one._domainkey.service.example', { value: 'one._domainkey.service.example' }],
  ['ONE.Service.Example.', { value: 'one.service.example' }],
  ['service.example', { code: 'key-name-outside-domain' }],
  ['oneservice.example', { code: 'key-name-outside-domain' }],
  ['xn--a.service.example', { code: 'key-name-malformed' }],
  ['a..service.example', { code: 'key-name-malformed' }],
  [`${'a.'.repeat(119)}service.example`, { value: `${'a.'.repeat(119)}service.example` }],
  [`${'a.'.repeat(120)}service.example`, { code: 'key-name-malformed' }]
])('parses the keyId %s', (keyId, parsed) => {
  expect(parseKeyName(keyId, 'service.example')).toMatchObject(parsed)
})
