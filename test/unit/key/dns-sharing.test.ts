import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createVerifier, dnsTxtLookup } from '../../../src/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts'
import { failuresOf } from '../../support/verdicts.ts'

const service = createTestService() // of 2048 bits: the record has two chunks
const keyId = Object.keys(service.records)[0]!

let dns: DnsServer
let records: Record<string, string[][]>
beforeEach(async () => {
  records = { ...service.records }
  dns = await startDnsServer(records)
})
afterEach(() => dns.close())

const verifier = () => createVerifier({ ...service.options, lookupTxt: dnsTxtLookup({ servers: [dns.address] }) })

describe('concurrent verifications share one query, and no answer is kept', () => {
  test('1,000 verifications at once ask once; the next one asks again', async () => {
    const verify = verifier()
    const request = service.sign({ body: '{"id":1}' })
    const verdicts = await Promise.all(Array.from({ length: 1000 }, () => verify(request)))
    expect(verdicts.filter(verdict => verdict.status === 'verified')).toHaveLength(1000)
    expect(dns.queries()).toBe(1)

    expect(failuresOf(await verify(request))).toEqual([])
    expect(dns.queries()).toBe(2)
  })

  test('a verification that starts during the query waits for its answer', async () => {
    const verify = verifier()
    const onItsWay = dns.hold()
    const first = verify(service.sign())
    await onItsWay
    const second = verify(service.sign())
    dns.release()
    expect((await Promise.all([first, second])).map(failuresOf)).toEqual([[], []])
    expect(dns.queries()).toBe(1)
  })

  test('two names are two queries', async () => {
    const other = createTestService({ rsaBits: 1024 })
    const second = `other._domainkey.service.example`
    records[second] = other.records[keyId]!
    const renamed = other.sign()
    const headers = [...(renamed.headers as Iterable<readonly [string, string]>)].map(
      ([name, value]) => [name, value.replace(keyId, second)] as const
    )
    const verify = verifier()
    const verdicts = await Promise.all([verify(service.sign()), verify({ ...renamed, headers })])
    expect(verdicts.map(failuresOf)).toEqual([[], []])
    expect([dns.queries(keyId), dns.queries(second)]).toEqual([1, 1])
  })

  test('a failure is shared in the same way, and not kept either', async () => {
    const verify = verifier()
    // Signed before: signing a hundred takes a while, in which this process would not read the answer of its server.
    const request = service.sign()
    dns.outcomes.set(keyId, 'servfail')
    const verdicts = await Promise.all(Array.from({ length: 100 }, () => verify(request)))
    expect(new Set(verdicts.flatMap(failuresOf))).toEqual(new Set(['key: key-lookup-failed']))
    expect(dns.queries()).toBe(1)

    dns.outcomes.delete(keyId)
    expect(failuresOf(await verify(service.sign()))).toEqual([])
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

  test('a new key under a new name', async () => {
    const rotating = createTestService({ rsaBits: 1024 })
    const earlier = rotating.sign()
    const server = await startDnsServer(rotating.records)
    const verify = createVerifier({ ...rotating.options, lookupTxt: dnsTxtLookup({ servers: [server.address] }) })
    expect(failuresOf(await verify(earlier))).toEqual([])
    const name = rotating.rotateKey()
    const verdict = await verify(rotating.sign())
    expect(verdict).toMatchObject({ status: 'verified', keyId: name })
    expect(failuresOf(await verify(earlier))).toEqual([])
    await server.close()
  })
})
