import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestService } from '../../../src/testing/index.ts'
import '../../meta/examples/resolver.ts'
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts'
import { failuresOf } from '../../support/verdicts.ts'
import { type Service, startService } from './service.ts'

const sender = createTestService({ accountId: '4711', rsaBits: 1024 })
let account: Service
let dns: DnsServer

beforeAll(async () => {
  account = await startService()
  dns = await startDnsServer(sender.records)
  const own = { AUTH_URL: account.authUrl, BASE_URL: account.baseUrl, ACCESS_TOKEN: account.accessToken }
  const receiver = { SERVICE_DOMAIN: 'service.example', HOOK_HOST: 'receiver.example', DNS_SERVER: dns.address }
  for (const [name, value] of Object.entries({ ...own, ...receiver })) vi.stubEnv(name, value)
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await dns.close()
  await account.close()
})

test('the verifier of docs/account.md knows its account id', async () => {
  // @ts-expect-error the example is plain JavaScript
  const { verify } = await import('../../../examples/account.mjs')
  expect(await verify(sender.sign())).toMatchObject({ status: 'verified', accountId: '4711' })
  expect(account.calls).toEqual(['GET /v4/identity'])

  const other = sender.sign({ headers: { 'X-Service-ID': 'account-4712' } })
  expect(failuresOf(await verify(other))).toEqual(['account: account-mismatch'])
  expect(account.posts).toBe(1)
  expect(account.violations).toEqual([])
})
