import { describe, expect, test } from 'vitest'
import { CHECK_NAMES } from '../../../src/core/result/codes.ts'
import {
  createVerifier,
  explain,
  fromLambdaEvent,
  type ProxyOptions,
  type ReceivedRequest,
  type VerifierOptions
} from '../../../src/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import { explained, unwrapped } from '../../support/explained.ts'
import { failing } from '../../support/failing.ts'
import { linesOf, service, withHeaders } from '../../support/service.ts'
import { verifyWith } from '../../support/verdicts.ts'

const [KEY_NAME = ''] = Object.keys(service.records)

const explaining = async (request: ReceivedRequest, options: Partial<VerifierOptions> = {}): Promise<string> =>
  unwrapped(explained(await verifyWith(options, request)))

/** Makes a signed request that came through a proxy with these headers. */
function forwarded(headers: Record<string, string[]>, options: ProxyOptions): ReceivedRequest {
  const signed = Object.fromEntries(linesOf(service.sign()).map(([name, value]) => [name, [value]]))
  const multiValueHeaders = { ...signed, ...headers }
  return fromLambdaEvent({ requestContext: { elb: {} }, httpMethod: 'GET', path: '/', multiValueHeaders }, options)
}

describe('a forwarding header that the adapter was told to trust', () => {
  test.each([
    [
      [],
      'received nothing',
      'your proxy does not send X-Forwarded-Proto',
      'proxy_set_header X-Forwarded-Proto $scheme'
    ],
    [['https, http'], 'received https, http', 'more than one value', 'Have the outermost proxy replace the header'],
    [['https', 'https'], 'received https, https', 'more than one value', 'Have the outermost proxy replace'],
    [['http'], 'received http', 'the sender used http', 'Have the sender use https'],
    [['on'], 'received on', 'says on, which is neither http nor https', 'proxy_set_header X-Forwarded-Proto $scheme']
  ])('the explanation shows X-Forwarded-Proto, and the cause and the fix: %j', async (values, received, cause, fix) => {
    const text = await explaining(forwarded({ 'X-Forwarded-Proto': values }, { https: 'x-forwarded-proto' }))
    expect(text).toContain(`header X-Forwarded-Proto; ${received}`)
    expect(text).toContain(cause)
    expect(text).toContain(fix)
    expect(text).not.toContain("https: 'x-forwarded-proto'")
  })

  test.each([
    [[], 'host-missing', 'your proxy does not send X-Forwarded-Host', 'proxy_set_header X-Forwarded-Host $http_host'],
    [['a.example, b.example'], 'host-mismatch', 'more than one value', 'Have the outermost proxy replace'],
    [['a.example', 'b.example'], 'host-repeated', 'more than one value', 'Have the outermost proxy replace'],
    [
      ['other.example'],
      'host-mismatch',
      'another name into X-Forwarded-Host',
      "add it, hosts: [..., 'other.example'], only if"
    ]
  ])('the explanation shows X-Forwarded-Host, and the cause and the fix: %j', async (values, code, cause, fix) => {
    const headers = { Host: ['backend.internal'], 'X-Forwarded-Host': values }
    const text = await explaining(forwarded(headers, { host: 'x-forwarded-host', https: true }))
    expect(text).toContain(`${code}: `)
    expect(text).toContain('expected receiver.example; header X-Forwarded-Host')
    expect(text).toContain(cause)
    expect(text).toContain(fix)
    expect(text).not.toContain("the adapter's host option")
  })

  test('a forwarding header is named where it would have passed, and was not to be trusted', async () => {
    const headers = {
      Host: ['10.0.0.5:3000'],
      'X-Forwarded-Host': ['receiver.example'],
      'X-Forwarded-Proto': ['https']
    }
    const request = forwarded(headers, {})
    const text = await explaining(request)
    expect(text).toContain('TLS ends at a proxy: the request has X-Forwarded-Proto: https, which is not trusted')
    expect(text).toContain("itself (anyone can send it), give the adapter https: 'x-forwarded-proto'")
    expect(text).toContain('replaced Host with 10.0.0.5:3000: the request has X-Forwarded-Host: receiver.example')
    expect(text).toContain("itself (anyone can send it), give the adapter host: 'x-forwarded-host'; or have")
    const flags = explain(await createVerifier(service.options)(request), { settings: 'flags' })
    expect(unwrapped(flags)).toMatch(/itself .*: --https x-forwarded-proto; .*fix: Have the proxy/s)
    expect(flags).not.toMatch(/host: '|adapter/)
  })

  test.each([['receiver.example, other.example'], ['other.example'], ['receiver.example:3000']])(
    'a forwarding header is not named when it says %s',
    async value => {
      const headers = { Host: ['10.0.0.5'], 'X-Forwarded-Host': [value], 'X-Forwarded-Proto': ['https, http'] }
      expect(await explaining(forwarded(headers, {}))).not.toMatch(/is there, and is not trusted/)
    }
  )

  const longer = createTestService({ rsaBits: 1032 })
  const untrusted = forwarded({ Host: ['a.example'] }, { host: 'x-forwarded-host', https: true })
  test.each<[advice: string, ReceivedRequest, Partial<VerifierOptions>]>([
    ['X-Forwarded-Host $http_host).', untrusted, {}],
    ['have the service publish another key.', longer.sign(), { lookupTxt: longer.lookupTxt, maxRsaBits: 1024 }]
  ])('a forwarding header is not an option where the reader has flags: %s', async (advice, request, options) => {
    const text = unwrapped(explain(await verifyWith(options, request), { settings: 'flags' }))
    expect(text).toContain(advice)
    expect(text).not.toMatch(/host option|RsaBits/)
  })
})

describe('what is configured and what was received', () => {
  test('the explanation shows the accounts of a list, and what a function returned', async () => {
    const request = service.sign({ headers: { 'X-Service-ID': 'account-99' } })
    expect(await explaining(request, { accounts: ['1', '2'] })).toContain('received 99; expected 1, 2')
    const text = await explaining(request, { accounts: () => false })
    expect(text).toContain(': your accounts function returned false')
    expect(text).toContain('If 99 is yours, have the function return true for it.')
  })

  test('the explanation shows the header and the form of the account', async () => {
    const text = await explaining(service.sign(), { accountHeader: 'X-Brand-ID' })
    expect(text).toContain(
      'account-missing: there is no account header; header x-brand-id; expected account-<account id>'
    )
  })

  test('the explanation shows the domain with a key name that is malformed', async () => {
    const request = createTestService({ serviceDomain: 'xn--a.service.example', rsaBits: 1024 }).sign()
    expect(await explaining(request)).toMatch(/key-name-malformed: .*received key1\.\S+; domain service\.example/)
  })

  test('the explanation never advises to trust the domain of another key', async () => {
    const text = await explaining(createTestService({ serviceDomain: 'attacker.example', rsaBits: 1024 }).sign())
    expect(text.slice(text.indexOf('fix: '))).not.toContain('attacker')
  })

  test('the explanation proposes an algorithm that is known, and none that is not', async () => {
    const named = (name: string) =>
      explaining(withHeaders(service.sign(), { Signature: value => value.replace('rsa-sha256', name) }))
    expect(await named('rsa-sha512')).toContain("add it: algorithms: [..., 'rsa-sha512'].")
    expect(await named('rsa-md5')).not.toContain('algorithms: [')
  })
})

describe('the advised command has the real name of the key', () => {
  test.each([
    ['key-not-found', { lookupTxt: async () => [] }],
    ['key-malformed', { lookupTxt: async () => [['v=DKIM1; p']] }],
    ['key-lookup-failed', { lookupTxt: failing('ESERVFAIL') }]
  ])('the advised command has the real name of the key: %s', async (code, options) => {
    const text = await explaining(service.sign(), options)
    expect(text).toContain(`${code}: `)
    expect(text).toContain(`npx signed-requests key ${KEY_NAME}`)
  })

  test.each(['$(reboot)', '--help'])(
    'the advised command has no name that a shell or it may read otherwise: %s',
    name => {
      const failure = { check: 'key', code: 'key-not-found', message: '', evidence: { name, reason: '' } }
      const checks = Object.fromEntries(CHECK_NAMES.map(name => [name, { outcome: 'pass' }]))
      const text = explain({ status: 'rejected', failures: [failure], checks } as never)
      expect(text).toContain('npx signed-requests key NAME')
    }
  )
})
