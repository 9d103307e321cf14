import { afterAll, beforeAll, expect, test } from 'vitest'
import { createVerifier, dnsTxtLookup, type ReceivedRequest, type Verify } from '../../../src/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts'
import { failuresOf } from '../../support/verdicts.ts'

const service = createTestService({ rsaBits: 1024 })
const [keyId, record] = Object.entries(service.records)[0]!

let dns: DnsServer
let verify: Verify
beforeAll(async () => {
  dns = await startDnsServer(service.records)
  verify = createVerifier({ ...service.options, lookupTxt: dnsTxtLookup({ servers: [dns.address] }) })
})
afterAll(() => dns.close())

/** keyId is not signed: whoever has one signed request can send it with any. */
function withKeyId(request: ReceivedRequest, name: string): ReceivedRequest {
  const lines = [...(request.headers as Iterable<readonly [string, string]>)]
  const renamed = (value: string) => value.replace(`keyId="${keyId}"`, () => `keyId="${name}"`)
  return { ...request, headers: lines.map(([field, value]) => [field, renamed(value)] as const) }
}

async function ask(name: string) {
  const before = dns.queries()
  const verdict = await verify(withKeyId(service.sign(), name))
  return { failures: failuresOf(verdict), queries: dns.queries() - before }
}

const label = (length: number) => 'k'.repeat(length)
/** a name in the domain of exactly this length */
const nameOf = (length: number) => {
  const own = length - '.service.example'.length
  return `${`${label(63)}.`.repeat(3)}${label(own - 3 * 64)}.service.example`
}

test.each([
  ['as published', keyId],
  ['in capitals', keyId.toUpperCase()],
  ['with a trailing dot', `${keyId}.`]
])('%s', async (_, name) => {
  const before = dns.queries(keyId)
  expect(await ask(name)).toEqual({ failures: [], queries: 1 })
  expect(dns.queries(keyId) - before).toBe(1)
})

test('a name of 253 characters reaches the resolver', async () => {
  const longest = nameOf(253)
  service.records[longest] = record
  expect((await ask(longest)).failures).toEqual([])
  // With a name this long the answer does not fit into UDP.
  expect([dns.queries(longest, 'udp'), dns.queries(longest, 'tcp')]).toEqual([1, 1])
})
