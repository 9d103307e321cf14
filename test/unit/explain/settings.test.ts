import { expect, test } from 'vitest'
import { showSetting } from '../../../src/explain/settings.ts'

test.each([
  ['hosts', 'a.example', "hosts: [..., 'a.example']", '--host a.example'],
  ['serviceDomain', 'service.example', "serviceDomain: 'service.example'", '--domain service.example'],
  ['minRsaBits', '1024', 'minRsaBits: 1024', '--min-rsa-bits 1024'],
  ['prefix', '/api', "prefix: '/api'", '--prefix /api'],
  ['accountHeader', "x'; rm -rf /", "accountHeader: '...'", '--account-header ...']
] as const)('%s %j is written as code and as a flag that can be pasted', (name, value, option, flag) => {
  expect(showSetting('options', name, value)).toBe(option)
  expect(showSetting('flags', name, value)).toBe(flag)
})
