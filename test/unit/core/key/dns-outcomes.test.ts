import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createVerifier, type DnsTxtLookupOptions, dnsTxtLookup } from '../../../../src/index.ts'
import { createTestService } from '../../../../src/testing/index.ts'
import type { DnsOutcome } from '../../../support/dns-answer.ts'
import { type DnsServer, startDnsServer } from '../../../support/dns-server.ts'
import { service } from '../../../support/service.ts'
import { failuresOf } from '../../../support/verdicts.ts'

const keyId = Object.keys(service.records)[0]!

let dns: DnsServer
beforeAll(async () => {
  dns = await startDnsServer(service.records)
  return dns.close
})
beforeEach(() => dns.outcomes.clear())

async function startAnother(...options: Parameters<typeof startDnsServer>): Promise<DnsServer> {
  const server = await startDnsServer(...options)
  onTestFinished(server.close)
  return server
}

const verifierOf = ({ address }: { address: string }, resolver: DnsTxtLookupOptions = {}) =>
  createVerifier({ ...service.options, lookupTxt: dnsTxtLookup({ servers: [address], ...resolver }) })

/** Returns the only failure of a good request; no later check ran. */
async function failureOf(verify: ReturnType<typeof createVerifier>) {
  const verdict = await verify(service.sign())
  expect(verdict.failures).toHaveLength(1)
  expect(verdict.checks).toMatchObject({ signature: { outcome: 'not-run' }, digest: { outcome: 'not-run' } })
  const { check, outcome, code, evidence } = verdict.failures[0]!
  return { status: verdict.status, check, outcome, code, evidence }
}

const NO_KEY = 'no key record among the TXT records'

test.each<[DnsOutcome, string]>([
  ['nxdomain', 'ENOTFOUND'],
  ['nxdomain-behind-cname', 'ENOTFOUND'],
  ['nodata', 'ENODATA'],
  ['dangling-cname', 'ENODATA'],
  ['only-a', 'ENODATA'],
  ['empty-string', NO_KEY]
])('an answer that there is no key, once: rejected: %s', async (dnsOutcome, reason) => {
  dns.outcomes.set(keyId, dnsOutcome)
  const asked = dns.queries(keyId)
  const failure = await failureOf(verifierOf(dns))
  expect(failure).toMatchObject({ status: 'rejected', check: 'key', outcome: 'fail', code: 'key-not-found' })
  expect(failure.evidence).toMatchObject({ name: keyId, reason })
  expect(dns.queries(keyId) - asked).toBe(1)
})

describe('no answer: unavailable', () => {
  const undecided = (error: string, code = 'key-lookup-failed') => {
    const evidence = expect.objectContaining({ name: keyId, error })
    return { status: 'unavailable', check: 'key', outcome: 'unavailable', code, evidence }
  }

  test.each<[DnsOutcome, string, code?: string]>([
    ['servfail', 'ESERVFAIL'],
    ['refused', 'EREFUSED'],
    ['formerr', 'EFORMERR'],
    ['notimp', 'ENOTIMP'],
    ['malformed', 'EBADRESP'],
    ['silence', 'ETIMEOUT', 'key-lookup-timeout']
  ])('without an answer of DNS the verdict is unavailable: %s', async (dnsOutcome, error, code) => {
    dns.outcomes.set(keyId, dnsOutcome)
    const resolver = dnsOutcome === 'silence' ? { timeout: 50, tries: 1 } : {}
    expect(await failureOf(verifierOf(dns, resolver))).toEqual(undecided(error, code))
  })

  test('a request is unavailable when no DNS server listens', async () => {
    const gone = await startDnsServer({})
    await gone.close()
    expect(await failureOf(verifierOf(gone))).toEqual(undecided('ECONNREFUSED'))
  })

  test('the verdict is unavailable when UDP is truncated and TCP refused', async () => {
    const udpOnly = await startAnother(service.records, { tcp: false })
    udpOnly.outcomes.set(keyId, 'truncated')
    expect(await failureOf(verifierOf(udpOnly))).toEqual(undecided('ECONNREFUSED'))
    expect(udpOnly.queries(keyId, 'udp')).toBeGreaterThan(0)
  })

  test('the next request is verified when DNS is back', async () => {
    const verify = verifierOf(dns)
    dns.outcomes.set(keyId, 'servfail')
    expect(failuresOf(await verify(service.sign()))).toEqual(['key: key-lookup-failed'])
    dns.outcomes.set(keyId, 'nxdomain')
    expect(failuresOf(await verify(service.sign()))).toEqual(['key: key-not-found'])
    dns.outcomes.delete(keyId)
    expect(failuresOf(await verify(service.sign()))).toEqual([])
  })
})

describe('an answer too long for UDP comes over TCP', () => {
  test('a key of more than 2048 bits', async () => {
    const strong = createTestService({ rsaBits: 2560 })
    const server = await startAnother(strong.records)
    expect(failuresOf(await verifierOf(server)(strong.sign({ body: '{}' })))).toEqual([])
    expect([server.queries(keyId, 'udp'), server.queries(keyId, 'tcp')]).toEqual([1, 1])
  })

  test('a short answer that is marked as truncated', async () => {
    const server = await startAnother(service.records)
    server.outcomes.set(keyId, 'truncated')
    expect(failuresOf(await verifierOf(server)(service.sign()))).toEqual([])
    expect([server.queries(keyId, 'udp'), server.queries(keyId, 'tcp')]).toEqual([1, 1])
  })
})

test('our own deadline ends the wait and the query, where the resolver would wait for half a minute', async () => {
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

  await expect(answers[0]).rejects.toMatchObject({ code: 'ECANCELLED' })

  // The late answer changes nothing, and the next request asks again.
  dns.release()
  const asked = dns.queries(keyId)
  expect(failuresOf(await createVerifier({ ...service.options, lookupTxt })(service.sign()))).toEqual([])
  expect(dns.queries(keyId) - asked).toBe(1)
})
