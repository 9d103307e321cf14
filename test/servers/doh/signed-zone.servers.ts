import { Agent, fetch as undiciFetch } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dohTxtLookup } from '../../../src/doh/index.ts'
import { createVerifier, dnsTxtLookup, type Verdict } from '../../../src/index.ts'
import { createTestService, type TestService } from '../../../src/testing/index.ts'
import { type SignedZones, startSignedZones } from '../../unit/doh/signed-zone.ts'

const services = new Map<string, TestService>()
let zones: SignedZones
let fetch: typeof globalThis.fetch
beforeAll(async () => {
  const records: Record<string, string[]> = {}
  for (const serviceDomain of ['signed.example', 'bogus.example', 'unsigned.example']) {
    const service = createTestService({ serviceDomain })
    services.set(serviceDomain, service)
    for (const [name, [record]] of Object.entries(service.records)) records[name] = record!
  }
  zones = await startSignedZones(records)
  fetch = http2Fetch(zones.cert)
})
afterAll(() => zones?.close())

const judge = async (serviceDomain: string, requireAuthenticated: boolean, method: 'POST' | 'GET' = 'POST') => {
  const service = services.get(serviceDomain)!
  const lookupTxt = dohTxtLookup({ url: zones.url, method, requireAuthenticated, fetch })
  const verdict = await createVerifier({ ...service.options, lookupTxt })(service.sign())
  return outcomeOf(verdict)
}

test.each(['POST', 'GET'] as const)(
  'verifies with a key of a signed zone by %s, authenticated or not',
  async method => {
    expect(await judge('signed.example', false, method)).toBe('verified')
    expect(await judge('signed.example', true, method)).toBe('verified')
  }
)

test('is unavailable where the signature of a zone is bogus', async () => {
  expect(await judge('bogus.example', false)).toBe('unavailable key-lookup-failed ESERVFAIL')
  expect(await judge('bogus.example', true)).toBe('unavailable key-lookup-failed ESERVFAIL')
})

test('verifies with a key of an unsigned zone, unless it must be authenticated', async () => {
  expect(await judge('unsigned.example', false)).toBe('verified')
  expect(await judge('unsigned.example', true)).toBe('unavailable key-lookup-failed ENOTAUTHENTICATED')
})

test('reports a missing key only when its absence is authenticated', async () => {
  for (const domain of ['signed.example', 'unsigned.example']) services.get(domain)!.rotateKey()
  expect(await judge('signed.example', true)).toBe('rejected key-not-found ENOTFOUND')
  expect(await judge('unsigned.example', false)).toBe('rejected key-not-found ENOTFOUND')
  expect(await judge('unsigned.example', true)).toBe('unavailable key-lookup-failed ENOTAUTHENTICATED')
})

test('answers as node:dns does with the same resolver', async () => {
  const { signal } = new AbortController()
  const native = dnsTxtLookup({ servers: [zones.address] })
  const overHttps = dohTxtLookup({ url: zones.url, fetch })
  for (const service of services.values()) {
    const [name] = Object.keys(service.records)
    const both = [native, overHttps].map(lookup =>
      lookup(name!, { signal }).catch((error: { code: string }) => error.code)
    )
    const [expected, actual] = await Promise.all(both)
    expect(actual).toEqual(expected)
  }
})

function outcomeOf(verdict: Verdict): string {
  const failures = verdict.failures.map(({ code, evidence }) => {
    const { error, reason } = (evidence ?? {}) as { error?: string; reason?: string }
    return `${code} ${error ?? reason}`
  })
  return [verdict.status, ...failures].join(' ')
}

/** unbound speaks only HTTP/2, which Node.js's own fetch does not use; and it shows a certificate of our own. */
function http2Fetch(ca: string): typeof globalThis.fetch {
  const dispatcher = new Agent({ allowH2: true, connect: { ca } })
  return ((url: string, init: object) => undiciFetch(url, { ...init, dispatcher })) as never
}
