import { beforeEach, describe, expect, test } from 'vitest'
import { createVerifier, dnsTxtLookup } from '../../../../src/index.ts'
import { createTestService } from '../../../../src/testing/index.ts'
import { type DnsServer, startDnsServer } from '../../../support/dns-server.ts'
import { withSignature } from '../../../support/service.ts'
import { failuresOf } from '../../../support/verdicts.ts'

const service = createTestService() // of 2048 bits: the record has two chunks
const keyId = Object.keys(service.records)[0]!

let dns: DnsServer
let records: Record<string, string[][]>
beforeEach(async () => {
  records = { ...service.records }
  dns = await startDnsServer(records)
  return dns.close
})

const verifier = () => createVerifier({ ...service.options, lookupTxt: dnsTxtLookup({ servers: [dns.address] }) })

describe('a name', () => {
  /** keyId is not signed: anyone who has one signed request can send it with any keyId. */
  const failuresUnder = async (name: string) => {
    const renamed = (signature: string) => signature.replace(`keyId="${keyId}"`, () => `keyId="${name}"`)
    return failuresOf(await verifier()(withSignature(service.sign(), renamed)))
  }

  test.each([
    ['as published', keyId],
    ['in capitals', keyId.toUpperCase()],
    ['with a trailing dot', `${keyId}.`]
  ])('%s is one query', async (_, name) => {
    expect(await failuresUnder(name)).toEqual([])
    expect([dns.queries(), dns.queries(keyId)]).toEqual([1, 1])
  })

  test('a name of 253 characters reaches the resolver', async () => {
    const labels = `${`${'k'.repeat(63)}.`.repeat(3)}${'k'.repeat(253 - 3 * 64 - '.service.example'.length)}`
    const longest = `${labels}.service.example`
    records[longest] = service.records[keyId]!
    expect(await failuresUnder(longest)).toEqual([])
    // With a name this long the answer does not fit into UDP.
    expect([dns.queries(longest, 'udp'), dns.queries(longest, 'tcp')]).toEqual([1, 1])
  })
})

describe('concurrent verifications share one query, and no answer is kept', () => {
  test.each<[number, string, string[]]>([
    [1000, 'an answer', []],
    [100, 'a failure', ['key: key-lookup-failed']]
  ])('%d verifications at once ask once for %s; the next one asks again', async (count, _, failures) => {
    const verify = verifier()
    // The requests are signed beforehand: signing many takes a while, in which this process would not read the DNS
    // replies.
    const request = service.sign({ body: '{"id":1}' })
    if (failures.length > 0) dns.outcomes.set(keyId, 'servfail')
    const verdicts = await Promise.all(Array.from({ length: count }, () => verify(request)))
    expect(verdicts.map(failuresOf)).toEqual(Array(count).fill(failures))
    expect(dns.queries()).toBe(1)

    dns.outcomes.delete(keyId)
    expect(failuresOf(await verify(request))).toEqual([])
    expect(dns.queries()).toBe(2)
  })
})

describe('rotation', () => {
  const nextMonth = createTestService({ rsaBits: 1024 })

  test('a new record at the same name counts at once, and the old key no longer', async () => {
    const verify = verifier()
    expect(failuresOf(await verify(service.sign()))).toEqual([])
    records[keyId] = nextMonth.records[keyId]!
    expect(failuresOf(await verify(nextMonth.sign()))).toEqual([])
    expect(failuresOf(await verify(service.sign()))).toEqual(['signature: signature-mismatch'])
    records[keyId] = service.records[keyId]!
    expect(failuresOf(await verify(service.sign()))).toEqual([])
  })

  test('a removed record no longer counts at once', async () => {
    const verify = verifier()
    expect(failuresOf(await verify(service.sign()))).toEqual([])
    records[keyId] = [['v=DKIM1; p=']]
    expect(failuresOf(await verify(service.sign()))).toEqual(['key: key-revoked'])
    delete records[keyId]
    expect(failuresOf(await verify(service.sign()))).toEqual(['key: key-not-found'])
  })

  test('a new key under a new name counts beside the earlier one', async () => {
    const rotating = createTestService({ rsaBits: 1024 })
    const verify = verifier()
    const earlier = rotating.sign()
    const name = rotating.rotateKey()
    Object.assign(records, rotating.records)
    expect(await verify(rotating.sign())).toMatchObject({ status: 'verified', keyId: name })
    expect(failuresOf(await verify(earlier))).toEqual([])
  })
})
