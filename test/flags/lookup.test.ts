import { expect, test } from 'vitest'
import { lookupFromFlags } from '../../flags/lookup.ts'

const SERVERS = ['192.0.2.1', '127.0.0.1:5353']
const URL = 'https://dns.example/dns-query'

test.each([
  [{}, undefined],
  [{ servers: SERVERS }, SERVERS],
  [{ url: URL }, ['dns.example']],
  [{ url: URL, requireAuthenticated: true }, ['dns.example']]
] as const)('a command with %j asks %j for keys, or else the DNS server of the machine', (flags, asked) => {
  expect(lookupFromFlags(flags as never)?.servers?.()).toEqual(asked)
})
