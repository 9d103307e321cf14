import { generateKeyPairSync } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import {
  createVerifier,
  draftCavage,
  type ReceivedRequest,
  type Verdict,
  type VerifierOptions
} from '../../../src/index.ts'
import { createRecorder } from '../../../src/recorder/index.ts'
import { type CaptureOptions, captureFixture, fromFixture, type SignRequest } from '../../../src/testing/index.ts'
import { claiming, failing } from '../../support/failing.ts'
import { readFixture } from '../../support/read-fixture.ts'
import { linesOf, service, withHeaders } from '../../support/service.ts'
import { failuresOf } from '../../support/verdicts.ts'

const NOW = new Date('2026-11-20T12:00:00Z')

const sign = (request: SignRequest = {}): ReceivedRequest =>
  service.sign({ method: 'POST', target: '/hook?id=42', body: '{"event":"published"}', date: NOW, ...request })

const COVERED_EVENT = ['(request-target)', 'host', 'date', 'digest', 'x-service-id', 'x-event']

const judge = (request: ReceivedRequest, options: Partial<VerifierOptions> = {}): Promise<Verdict> =>
  createVerifier({ ...service.options, now: () => NOW.getTime(), ...options })(request)

const capturing = (request: ReceivedRequest, verdict: Verdict, capture: Partial<CaptureOptions> = {}) =>
  captureFixture(request, verdict, { options: service.options, ...capture })

/** Returns the verdict on the document's request, after a round through a file. */
function judgeAgain(request: ReceivedRequest, verdict: Verdict, capture: Partial<CaptureOptions>): Promise<Verdict> {
  const document = capturing(request, verdict, { now: NOW, ...capture })
  const fixture = readFixture(JSON.stringify(document))
  return createVerifier(fixture.options as VerifierOptions)(fixture.request)
}

const REPLAYED = claiming(async () => false)

const CASES: readonly [name: string, ReceivedRequest, Partial<VerifierOptions>][] = [
  ['verified', sign(), {}],
  ['verified with a store', sign(), claiming(async () => true)],
  ['replayed', sign(), REPLAYED],
  ['a store that is down', sign(), claiming(failing('ECONNREFUSED'))],
  ['a body with bytes of any kind', sign({ body: Buffer.from([0, 0xff, 0xc3, 0x28]) }), {}],
  ['no body', service.sign({ date: NOW }), {}],
  [
    'headers as a record, with a line break',
    { ...sign(), headers: { ...Object.fromEntries(linesOf(sign())), 'X-A': 'a\nb' } },
    {}
  ],
  ['an old Date', sign({ date: new Date(0) }), { dateTolerance: 60 }],
  ['accounts by a function that says yes', sign(), { accounts: id => id === '1234' }],
  ['accounts by a function that says no', sign(), { accounts: () => false }],
  ['accounts by a function that fails', sign(), { accounts: () => Promise.reject(new Error('down')) }],
  ['another domain', sign(), { serviceDomain: 'other.example' }],
  ['a changed target', { ...sign(), target: '/hook' }, {}],
  ['a changed body', { ...sign(), body: '{}' }, {}],
  ['no key', sign(), { lookupTxt: failing('ENOTFOUND') }],
  ['no TXT', sign(), { lookupTxt: failing('ENODATA') }],
  ['an unrelated TXT', sign(), { lookupTxt: async () => [['v=spf1 -all']] }],
  ['a bad record', sign(), { lookupTxt: async () => [['v=DKIM1; k=dsa; p=AA==']] }],
  ['DNS that fails', sign(), { lookupTxt: failing('ESERVFAIL') }],
  ['DNS that is silent', sign(), { lookupTxt: failing('ETIMEOUT') }],
  ['no Host', { ...sign(), headers: linesOf(sign()).slice(1) }, {}],
  ['no Signature', { ...sign(), headers: linesOf(sign()).slice(0, -1) }, {}],
  ['another Host, given as one name', sign({ host: 'a.example' }), { hosts: 'b.example' }],
  ['no TLS, and that is fine', { ...sign(), https: false }, { requireHttps: false }],
  ['a body over the limit', sign(), { maxBodyBytes: 5 }]
]

describe('a fixture is judged like the request', () => {
  test.each(CASES)('a fixture is judged like the request: %s', async (_, request, options) => {
    const verdict = await judge(request, options)
    const capture = { options: { ...service.options, ...options } }
    for (const redact of [false, true]) {
      const again = await judgeAgain(request, verdict, { ...capture, redact })
      expect([again.status, failuresOf(again)]).toEqual([verdict.status, failuresOf(verdict)])
    }
  })
})

test.each([300_400, 300_000, 299_600, -299_600, -300_000, -300_400])(
  'a fixture has the same verdict on a Date that is %i ms old',
  async age => {
    const now = new Date(NOW.getTime() + age)
    const verdict = await judge(sign(), { now: () => now.getTime() })
    const again = await judgeAgain(sign(), verdict, { now })
    expect([again.status, failuresOf(again)]).toEqual([verdict.status, failuresOf(verdict)])
  }
)

describe('the document', () => {
  test('the document has the form of the vectors', async () => {
    const request = sign()
    const verdict = await judge(request, { accounts: '99' })
    expect(
      capturing(request, verdict, {
        options: {
          ...service.options,
          ...{ accounts: '99', schemes: [draftCavage], now: () => 0, recorder: createRecorder(), ...REPLAYED },
          ...{ bodyTimeout: 5, lookupTimeout: 5, replayTimeout: 5 }
        },
        now: new Date(NOW.getTime() + 789),
        name: 'from-staging',
        source: 'staging, 20 November'
      })
    ).toEqual({
      source: 'staging, 20 November',
      vectors: [
        {
          name: 'from-staging',
          request: {
            method: 'POST',
            target: '/hook?id=42',
            headers: linesOf(request),
            body: { utf8: '{"event":"published"}' },
            https: true
          },
          dns: {},
          options: {
            serviceDomain: 'service.example',
            hosts: ['receiver.example'],
            accounts: ['99'],
            accountHeader: 'X-Service-ID',
            schemes: ['draft-cavage']
          },
          now: '2026-11-20T12:00:00Z',
          verdict: { status: 'rejected', failures: [{ check: 'account', code: 'account-mismatch' }] }
        }
      ]
    })
  })

  test('the document has the record of the key that was found and good', async () => {
    const request = sign()
    const [vector] = capturing(request, await judge(request)).vectors
    expect(vector!.dns).toEqual(service.records)
    expect(vector).not.toHaveProperty('note')
  })

  test('the document of a copy of a verdict says that the record of the key is not known', async () => {
    const request = sign()
    const [vector] = capturing(request, { ...(await judge(request)) }).vectors
    expect(vector).toMatchObject({ dns: {}, note: 'the record of the key is not known: add it under dns' })
  })

  test('the document names itself and its origin where the caller does not', async () => {
    const request = sign()
    const { source, vectors } = capturing(request, await judge(request))
    expect([source, vectors[0]!.name]).toEqual(['captured from a connection', 'captured'])
  })

  test('the document has no body where the request had none, although it was read', async () => {
    const request = service.sign({ date: NOW })
    const [vector] = capturing(request, await judge(request, REPLAYED)).vectors
    expect(vector!.request.body).toBeNull()
  })

  test('the document lists the account that a function accepted, without prefix and white space', async () => {
    const accounts = (id: string) => id === '1234'
    const request = withHeaders(sign(), { 'X-Service-ID': value => `  ${value} ` })
    const [vector] = capturing(request, await judge(request, { accounts }), {
      options: { ...service.options, accounts }
    }).vectors
    expect(vector).toMatchObject({ options: { accounts: ['1234'] }, accountsResult: true })
  })

  test.each<[string, ReceivedRequest, boolean]>([
    ['that a function refused', sign(), false],
    ['that is missing', withHeaders(sign(), { 'X-Service-ID': undefined }), true],
    ['of a request that is malformed', { ...withHeaders(sign(), { 'X-Service-ID': undefined }), method: '' }, true]
  ])('the document names no account %s', async (_, request, accountsResult) => {
    const options = { ...service.options, accounts: () => false }
    const [vector] = capturing(request, await judge(request, options), { options }).vectors
    expect(vector).toMatchObject({ options: { accounts: ['unknown'] }, accountsResult })
  })

  test('the document has a copy of the notes on forwarding headers', async () => {
    const forwarded = { host: { header: 'x-forwarded-host', received: ['receiver.example'] } }
    const request = { ...sign(), forwarded }
    const document = capturing(request, await judge(request))
    expect(document.vectors[0]!.request.forwarded).toEqual(forwarded)
    expect(document.vectors[0]!.request.forwarded).not.toBe(forwarded)
    expect(fromFixture(document).request.forwarded).toEqual(forwarded)
  })

  test('the document has no private key that is in DNS', async () => {
    const secret = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
    const texts = [[`v=DKIM1; k=ed25519; p=${secret}`]]
    const verdict = await judge(sign(), { lookupTxt: async () => texts })
    const dns = { 'a.example': texts, 'b.example': { error: 'ENOTFOUND' } }
    for (const capture of [{}, { dns: {} }, { dns }]) {
      const [vector] = capturing(sign(), capture.dns === dns ? await judge(sign()) : verdict, capture).vectors
      expect(vector).toMatchObject({ dns: {}, note: 'the record of the key is not known: add it under dns' })
    }
  })

  test("the document has the time of the verifier's clock, which need not be given again", async () => {
    const request = sign({ date: new Date(0) })
    const [vector] = capturing(request, await judge(request, { now: () => 5000 })).vectors
    expect(vector!.now).toBe('1970-01-01T00:00:05Z')
  })

  test.each(['ENOTFOUND', 'ENODATA', 'ESERVFAIL'])('the document has the answer of DNS as it was: %s', async code => {
    const request = sign()
    const verdict = await judge(request, { lookupTxt: failing(code) })
    const [vector] = capturing(request, verdict).vectors
    expect(vector!.dns).toEqual({ 'key1._domainkey.service.example': { error: code } })
  })

  const SPF = 'v=spf1 -all'
  const BAD = 'v=DKIM1; k=rsa; p=AA=='

  test.each([
    ['all records of a key that was split', [BAD, 'MIIB', 'IDAQAB']],
    ['the records of which none is a key', [SPF, 'hello']],
    ['the record that decided, behind more others than the evidence has', [SPF, SPF, SPF, SPF, BAD]]
  ])('the document has %s, so that the cause is the same', async (_, texts) => {
    const request = sign()
    const verdict = await judge(request, { lookupTxt: async () => texts.map(text => [text]) })
    const [vector] = capturing(request, verdict).vectors
    expect(vector!.dns).toEqual({ 'key1._domainkey.service.example': texts.map(text => [text]) })
  })

  test('the document is redacted where no check reads, if asked for', async () => {
    const request = sign({ headers: { Authorization: 'Bearer secret', Cookie: 'session=secret' } })
    const capture = { dns: service.records, now: NOW }
    const verified = capturing(request, await judge(request), { ...capture, redact: true })
    const headers = verified.vectors[0]!.request.headers
    expect(JSON.stringify(verified)).not.toContain('secret')
    expect(headers.map(([name]) => name)).toEqual(linesOf(request).map(([name]) => name))
    expect(headers.filter(([, value]) => value === '')).toEqual([
      ['Authorization', ''],
      ['Cookie', '']
    ])
    expect(verified.vectors[0]!.request.body).toEqual({ utf8: '{"event":"published"}' })

    const refused = capturing(request, await judge(request, { accounts: '99' }), { ...capture, redact: true })
    expect(refused.vectors[0]!.request.body).toBeNull()
  })

  test('the document keeps the values of signed headers, and redacts those of others', async () => {
    const signed = sign({ headers: { 'X-Event': 'published', Cookie: 'secret' }, covered: COVERED_EVENT })
    const request = { ...signed, body: '{}' }
    const verdict = await judge(request)
    expect(failuresOf(verdict)).toEqual(['digest: digest-mismatch'])
    const { headers } = capturing(request, verdict, { redact: true }).vectors[0]!.request
    expect(Object.fromEntries(headers)).toMatchObject({ 'X-Event': 'published', Cookie: '' })
  })

  test('the note of a redacted document does not name a covered header that was empty', async () => {
    const headers = { 'X-Event': '', 'X-Other': 'secret' }
    const request = { ...sign({ headers, covered: [...COVERED_EVENT, 'x-other'] }), target: '/other' }
    const [vector] = capturing(request, await judge(request), { redact: true }).vectors
    expect(vector!.note).toBe('the values of x-other are left out, and the signature says it covers them')
  })

  test.each([
    ['account-missing', undefined],
    ['account-malformed', '']
  ])('a redacted document keeps the header that looks like the one of the account: %s', async (code, account) => {
    const request = withHeaders(sign({ headers: { 'X-Acme-Id': 'account-1234' } }), { 'X-Service-ID': account })
    const verdict = await judge(request)
    expect(verdict.failures[0]).toMatchObject({
      code,
      evidence: { similar: 'X-Acme-Id: account-1234' }
    })
    const { headers } = capturing(request, verdict, { redact: true }).vectors[0]!.request
    expect(Object.fromEntries(headers)).toMatchObject({ 'X-Acme-Id': 'account-1234' })
  })

  test.each([
    'Via',
    'CDN-Loop',
    'X-Forwarded-Host',
    'X-Forwarded-Port',
    'X-Forwarded-Prefix',
    'X-Forwarded-Proto',
    'X-Forwarded-Uri',
    'X-Original-Host',
    'X-Original-Uri',
    'X-Original-Url',
    'X-Rewrite-Url',
    'X-Envoy-Original-Path',
    'Content-Type',
    'Content-Length',
    'Content-Encoding',
    'X-Nonce'
  ])('a redacted document keeps what a proxy says about the request in %s', async name => {
    const request = { ...sign({ headers: { [name]: '/kept' } }), target: '/other' }
    const { headers } = capturing(request, await judge(request), { redact: true }).vectors[0]!.request
    expect(Object.fromEntries(headers)).toMatchObject({ [name]: '/kept' })
  })

  test('a redacted document shows that the signature is in Authorization, and nothing more of it', async () => {
    const lines = [
      ['Authorization', 'Signature secret'],
      ['Authorization', 'Bearer Signature secret'],
      ['X-Other', 'Signature secret']
    ] as const
    const request = { ...sign(), headers: [...linesOf(sign()), ...lines] }
    const unsigned = withHeaders(request, { Signature: undefined })
    for (const [given, shown] of [
      [unsigned, 'Signature (left out)'],
      [{ ...request, target: '/other' }, '']
    ] as const) {
      const { headers } = capturing(given, await judge(given), { redact: true }).vectors[0]!.request
      expect(headers.slice(-3).map(([, value]) => value)).toEqual([shown, '', ''])
    }
  })

  test.each<[string, forge: (signature: string) => string, failures: string[]]>([
    ['in a parameter of its own', text => `${text},x="x-internal-token"`, []],
    [
      'among those it covers',
      text => text.replace(' Digest', ' Digest x-internal-token'),
      ['signature: signature-mismatch']
    ],
    ['in keyId', text => text.replace('keyId="', 'keyId="x-internal-token,'), ['key-name: key-name-malformed']],
    [
      'and cannot be parsed',
      text => `headers="x-internal-token",${text}`,
      ['signature-header: signature-parameter-repeated']
    ]
  ])('the document is redacted where a forged Signature names the header, %s', async (_, forge, failures) => {
    const request = withHeaders(sign({ headers: { 'X-Internal-Token': 'secret' } }), { Signature: forge })
    const verdict = await judge(request)
    expect(failuresOf(verdict)).toEqual(failures)
    expect(JSON.stringify(capturing(request, verdict, { redact: true }))).not.toContain('secret')
  })
})

describe('a streamed body', () => {
  const streamed = () => ({ ...sign(), body: Readable.from([Buffer.from('{"event":"published"}')]) })
  const bytes = { utf8: '{"event":"published"}' }

  test('a streamed body is in the verdict when that is verified', async () => {
    const request = streamed()
    const [vector] = capturing(request, await judge(request)).vectors
    expect(vector!.request.body).toEqual(bytes)
  })

  test('a streamed body was never read when the head was refused', async () => {
    const request = streamed()
    const [vector] = capturing(request, await judge(request, { accounts: '99' })).vectors
    expect(vector!.request.body).toBeNull()
  })

  test('a streamed body must be given when it was read and refused', async () => {
    const request = streamed()
    const verdict = await judge(request, REPLAYED)
    expect(() => capturing(request, verdict)).toThrow(
      'request.body is a stream that was read: pass its bytes, captureFixture(request, verdict, { body })'
    )
    const [vector] = capturing(request, verdict, { body: '{"event":"published"}' }).vectors
    expect(vector!.request.body).toEqual(bytes)
  })

  test('a streamed body that broke off breaks off again in the fixture', async () => {
    const body = (async function* () {
      yield Buffer.from('{')
      throw Object.assign(new Error('gone'), { code: 'ECONNRESET' })
    })()
    const request = { ...sign(), body }
    const verdict = await judge(request)
    const again = await judgeAgain(request, verdict, {})
    expect(failuresOf(again)).toEqual(['digest: body-unreadable'])
    expect(again).toEqual(verdict)
  })
})

test.each<[object, string]>([
  [{ now: 'noon' }, 'now is a string: pass a Date or milliseconds since 1970'],
  [{ now: new Date(Number.NaN) }, 'now is an object: pass a Date'],
  [{ name: 5 }, 'name is the number 5: pass a string'],
  [{ source: 5 }, 'source is the number 5: pass a string'],
  [{ redact: 'yes' }, 'redact is a string: write true or false']
])('throws a TypeError for the option %j', async (capture, message) => {
  const verdict = await judge(sign())
  expect(() => capturing(sign(), verdict, capture)).toThrow(TypeError)
  expect(() => capturing(sign(), verdict, capture)).toThrow(message)
})

test('throws a TypeError for what is no request, and for a verdict that was not awaited', async () => {
  const verdict = await judge(sign())
  expect(() => capturing(new Request('https://receiver.example/') as never, verdict)).toThrow('fromFetchRequest')
  expect(() => capturing(sign(), judge(sign()) as never)).toThrow('captureFixture(await verify(request))')
})
