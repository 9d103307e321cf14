import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

const MALFORMED = ['key-name: key-name-malformed']
const label = (length: number) => 'k'.repeat(length)
/** a name in the domain of exactly this length */
const nameOf = (length: number) => {
  const own = length - '.service.example'.length
  return `${`${label(63)}.`.repeat(3)}${label(own - 3 * 64)}.service.example`
}

describe('names that a resolver would change never reach it', () => {
  test.each([
    ['a NUL, at which Node cuts the name', `${keyId}\0.service.example`, ['request: request-malformed']],
    ['nothing', '', MALFORMED],
    ['the root', '.', MALFORMED],
    ['two trailing dots', `${keyId}..`, MALFORMED],
    ['an empty label', `key1..service.example`, MALFORMED],
    ['an invalid punycode label, for which Node asks for the root', 'xn--a.service.example', MALFORMED],
    ['a punycode label', 'xn--mnchen-3ya.service.example', MALFORMED],
    ['a full-width letter, as octets', '\xef\xbd\x8bey1._domainkey.service.example', MALFORMED],
    ['a soft hyphen', 'key\xad1._domainkey.service.example', MALFORMED],
    ['an ideographic full stop', 'key1._domainkey\xe3\x80\x82service.example', MALFORMED],
    ['a backslash', 'key\\\\1._domainkey.service.example', MALFORMED],
    ['an escaped octet', 'key\\\\0491._domainkey.service.example', MALFORMED],
    ['a space', 'key1 ._domainkey.service.example', MALFORMED],
    ['a line break', 'key1\n._domainkey.service.example', ['request: request-malformed']],
    ['254 characters', nameOf(254), MALFORMED],
    ['255 characters', nameOf(255), MALFORMED],
    ['a label of 64', `${label(64)}.service.example`, MALFORMED],
    ['a port', `${keyId}:53`, MALFORMED],
    ['a URL', `https://${keyId}/`, MALFORMED]
  ])('%s', async (_, name, failures) => {
    expect(await ask(name)).toEqual({ failures, queries: 0 })
  })

  test.each(['full-width \uff4bey1', 'soft\u00adhyphen', 'stop\u3002service', 'K\u212ay'])(
    'text beyond ASCII, from a runtime that decodes headers: %s',
    async own => {
      expect((await ask(`${own}.service.example`)).queries).toBe(0)
    }
  )
})

describe("names outside the service's domain never reach the resolver", () => {
  test.each([
    ['the domain itself', 'service.example'],
    ['the domain itself, with a dot', 'service.example.'],
    ['another domain', 'key1._domainkey.attacker.example'],
    ['no label boundary', 'key1._domainkey.evilservice.example'],
    ['the domain in the middle', 'key1._domainkey.service.example.attacker.example'],
    ['the parent', 'example']
  ])('%s', async (_, name) => {
    expect(await ask(name)).toEqual({ failures: ['key-name: key-name-outside-domain'], queries: 0 })
  })
})

describe('names that DNS is asked for, unchanged', () => {
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
})
