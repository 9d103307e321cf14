import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createVerifier, type DnsTxtLookupOptions, dnsTxtLookup, type VerifierOptions } from '../../../src/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import type { DnsOutcome } from '../../support/dns-answer.ts'
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts'
import { service } from '../../support/service.ts'
import { failuresOf } from '../../support/verdicts.ts'

const keyId = Object.keys(service.records)[0]!

let dns: DnsServer
beforeAll(async () => {
  dns = await startDnsServer(service.records)
})
beforeEach(() => dns.outcomes.clear())
afterAll(() => dns.close())

const verifierOf = (
  { address }: { address: string },
  resolver: DnsTxtLookupOptions = {},
  options: Partial<VerifierOptions> = {}
) => createVerifier({ ...service.options, lookupTxt: dnsTxtLookup({ servers: [address], ...resolver }), ...options })

describe('an answer that there is no key: rejected', () => {
  test.each<[DnsOutcome, string]>([
    ['nxdomain', 'ENOTFOUND'],
    ['nxdomain-behind-cname', 'ENOTFOUND'],
    ['nodata', 'ENODATA'],
    ['dangling-cname', 'no key record among the TXT records'],
    ['only-a', 'no key record among the TXT records'],
    ['empty-string', 'no key record among the TXT records']
  ])('%s', async (outcome, reason) => {
    dns.outcomes.set(keyId, outcome)
    const asked = dns.queries(keyId)
    const verdict = await verifierOf(dns)(service.sign())
    expect(verdict).toMatchObject({
      status: 'rejected',
      failures: [{ check: 'key', code: 'key-not-found', evidence: { name: keyId, reason } }],
      checks: { key: { outcome: 'fail' }, signature: { outcome: 'not-run' }, digest: { outcome: 'not-run' } }
    })
    expect(verdict.status !== 'verified' && verdict.failures).toHaveLength(1)
    expect(dns.queries(keyId) - asked).toBe(1)
  })
})

describe('no answer: unavailable', () => {
  test.each<[DnsOutcome, string]>([
    ['servfail', 'ESERVFAIL'],
    ['refused', 'EREFUSED'],
    ['formerr', 'EFORMERR'],
    ['notimp', 'ENOTIMP'],
    ['malformed', 'EBADRESP']
  ])('%s', async (outcome, error) => {
    dns.outcomes.set(keyId, outcome)
    const verdict = await verifierOf(dns)(service.sign())
    expect(verdict).toMatchObject({
      status: 'unavailable',
      failures: [{ check: 'key', code: 'key-lookup-failed', evidence: { name: keyId, error } }],
      checks: { key: { outcome: 'unavailable' }, signature: { outcome: 'not-run' } }
    })
    expect(verdict.status !== 'verified' && verdict.failures).toHaveLength(1)
  })

  test('is unavailable when the server is silent until the resolver gives up', async () => {
    dns.outcomes.set(keyId, 'silence')
    const verdict = await verifierOf(dns, { timeout: 50, tries: 1 })(service.sign())
    expect(verdict).toMatchObject({
      status: 'unavailable',
      failures: [{ check: 'key', code: 'key-lookup-timeout', evidence: { name: keyId, error: 'ETIMEOUT' } }]
    })
  })

  test('is unavailable when no server listens', async () => {
    const gone = await startDnsServer({})
    await gone.close()
    const verdict = await verifierOf(gone)(service.sign())
    expect(verdict).toMatchObject({
      status: 'unavailable',
      failures: [{ check: 'key', code: 'key-lookup-failed', evidence: { error: 'ECONNREFUSED' } }]
    })
  })

  test('is unavailable when UDP is truncated and TCP refused', async () => {
    const udpOnly = await startDnsServer(service.records, { tcp: false })
    udpOnly.outcomes.set(keyId, 'truncated')
    const verdict = await verifierOf(udpOnly)(service.sign())
    expect(verdict).toMatchObject({
      status: 'unavailable',
      failures: [{ check: 'key', code: 'key-lookup-failed', evidence: { error: 'ECONNREFUSED' } }]
    })
    expect(udpOnly.queries(keyId, 'udp')).toBeGreaterThan(0)
    await udpOnly.close()
  })

  test('verifies the next request when DNS is back', async () => {
    const verify = verifierOf(dns)
    dns.outcomes.set(keyId, 'servfail')
    expect(failuresOf(await verify(service.sign()))).toEqual(['key: key-lookup-failed'])
    dns.outcomes.set(keyId, 'nxdomain')
    expect(failuresOf(await verify(service.sign()))).toEqual(['key: key-not-found'])
    dns.outcomes.delete(keyId)
    expect(failuresOf(await verify(service.sign()))).toEqual([])
  })
})

describe('an answer too long for UDP', () => {
  test('a key of more than 2048 bits comes over TCP', async () => {
    const strong = createTestService({ rsaBits: 2560 })
    const server = await startDnsServer(strong.records)
    const verdict = await verifierOf(server)(strong.sign({ body: '{}' }))
    expect(failuresOf(verdict)).toEqual([])
    expect([server.queries(keyId, 'udp'), server.queries(keyId, 'tcp')]).toEqual([1, 1])
    await server.close()
  })

  test('a short answer that is marked as truncated comes over TCP', async () => {
    dns.outcomes.set(keyId, 'truncated')
    const before = [dns.queries(keyId, 'udp'), dns.queries(keyId, 'tcp')]
    expect(failuresOf(await verifierOf(dns)(service.sign()))).toEqual([])
    expect([dns.queries(keyId, 'udp'), dns.queries(keyId, 'tcp')]).toEqual(before.map(count => count + 1))
  })
})

describe('the deadline is our own', () => {
  test('ends the wait where the resolver would wait for half a minute', async () => {
    dns.hold()
    const answers: Promise<string[][]>[] = []
    const patient = dnsTxtLookup({ servers: [dns.address], timeout: 5000, tries: 4 })
    const lookupTxt: typeof patient = (name, options) => {
      const answer = patient(name, options)
      answers.push(answer)
      return answer
    }
    const verdict = await createVerifier({ ...service.options, lookupTxt, lookupTimeout: 100 })(service.sign())
    expect(verdict).toMatchObject({
      status: 'unavailable',
      failures: [{ code: 'key-lookup-timeout', evidence: { name: keyId, error: 'no answer within 100 ms' } }]
    })

    // The answer arrives too late: it changes nothing, and the next request asks again.
    dns.release()
    expect(await answers[0]).toEqual(service.records[keyId])
    expect(verdict.status).toBe('unavailable')
    const asked = dns.queries(keyId)
    expect(failuresOf(await createVerifier({ ...service.options, lookupTxt })(service.sign()))).toEqual([])
    expect(dns.queries(keyId) - asked).toBe(1)
  })
})
