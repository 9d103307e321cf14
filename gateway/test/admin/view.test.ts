import { readFileSync } from 'node:fs'
import type { ReceivedRequest, Verdict, VerifierOptions } from 'signed-requests'
import { describe, expect, test } from 'vitest'
import { CHECK_NAMES } from '../../../src/internal/index.ts'
import { runInside } from '../../../test/support/run-cli.ts'
import { service, withHeaders } from '../../../test/support/service.ts'
import { createRecent } from '../../src/admin/recent.ts'
import { detailOf, outcomeOf, overviewOf } from '../../src/admin/view.ts'
import type { Exchange } from '../../src/exchange.ts'
import { logText } from '../../src/log.ts'
import { exchangeOf } from '../support/exchanges.ts'

interface Detail {
  method: string
  target: string
  outcome: string
  diagnosis: { checks: { check: string; outcome: string }[]; failures: { code: string; fix: string }[] }
  signing: string[]
  headers: { name: string; value: string; isSigned: boolean; isBlank: boolean }[]
  body: { text: string; note: string }
  fixture?: string
  command?: string
}

const NOW = Date.parse('2026-11-20T12:00:00.500Z')
const KEY = 'key1._domainkey.service.example'
const sign = (more: Parameters<typeof service.sign>[0] = {}) =>
  service.sign({ target: '/hook?id=42', body: '{"id":1}', date: new Date(NOW), ...more })
const changed = (changes: Partial<ReceivedRequest>): ReceivedRequest => ({ ...sign(), ...changes })
const ELSEWHERE = changed({ target: '/other' })
const OTHER_HOST = withHeaders(sign(), { Host: 'other.example' })
const OTHER_BODY = changed({ body: Buffer.from('{"id":2}') })
const UNSIGNED = { method: 'GET', target: '/.env', headers: [['User-Agent', 'x']], body: null, https: false } as const

interface Setting {
  options?: Partial<VerifierOptions>
  redact?: boolean
  changes?: Partial<Exchange>
}

/** Returns the page's record of a request, from a verifier with a recorder. */
async function keep(request: ReceivedRequest, { options = {}, redact = false, changes = {} }: Setting = {}) {
  const verifier = { ...service.options, now: () => NOW, ...options }
  const recent = createRecent(redact, verifier)
  const exchange = await exchangeOf(request, changes, { ...verifier, recorder: recent })
  recent.keep(exchange)
  return { kept: recent.after(0)[0]!, exchange, verifier }
}

async function open(request: ReceivedRequest, setting?: Setting): Promise<Detail & { exchange: Exchange }> {
  const { kept, exchange, verifier } = await keep(request, setting)
  return { ...(detailOf(kept, verifier, setting?.redact ?? false) as Detail), exchange }
}

describe('a line of the list', () => {
  const rowWith = async (request: ReceivedRequest, setting?: Setting) => overviewOf((await keep(request, setting)).kept)

  test('has what was answered, the codes and the outcomes of all checks, in order', async () => {
    expect(await rowWith(OTHER_HOST)).toMatchObject({
      ...{ list: 'signed', method: 'POST', outcome: 'refused', status: 401, note: 'host-mismatch' },
      checks: CHECK_NAMES.map(name => (name === 'host' ? 'fail' : expect.stringMatching(/^(?:pass|not-run)$/)))
    })
  })

  test('is printable ASCII and short, whatever was sent', async () => {
    const target = `/${'\u202e<img src=x>\0\ud800é'.repeat(10_000)}`
    const text = JSON.stringify(await rowWith(changed({ method: 'POST\n'.repeat(100), target })))
    expect(text).toMatch(/^[ -~]+$/)
    expect(text.length).toBeLessThan(3000)
  })

  test('has the account that the request claims, whatever was wrong with it, as printable ASCII and short', async () => {
    const claims = (lines: Record<string, string | undefined>) =>
      rowWith(withHeaders(sign(), { Host: 'other.example', ...lines }))
    expect(await claims({ 'X-Service-ID': 'account-4711' })).toMatchObject({ account: '', claimed: '4711', key: KEY })
    expect(await claims({ 'X-Service-ID': undefined })).toMatchObject({ claimed: '' })
    const { claimed } = (await claims({ 'X-Service-ID': `\u202e${'4'.repeat(5000)}` })) as { claimed: string }
    expect(claimed).toMatch(/^[!-~]{255}$/)
    const other = await rowWith(withHeaders(sign(), { 'x-acme-id': 'account-9' }), {
      options: { accountHeader: 'X-Acme-ID' }
    })
    expect(other).toMatchObject({ claimed: '9' })
  })

  test.each<[status: number, Exchange['upstream'], outcome: string]>([
    [200, 'answered', 'forwarded'],
    [200, 'unreachable', 'forwarded'],
    [200, 'not-asked', 'refused'],
    [401, 'not-asked', 'refused'],
    [403, 'not-asked', 'refused'],
    [429, 'not-asked', 'asked-again'],
    [503, 'not-asked', 'asked-again'],
    [0, 'not-asked', 'refused']
  ])('of a rejected request that got %d from an upstream %s is %s', async (status, upstream, outcome) => {
    expect(outcomeOf((await open(ELSEWHERE, { changes: { status, upstream } })).exchange)).toBe(outcome)
  })

  test('the outcome of a request that cannot be decided is unavailable, and forwarded while observing', () => {
    const verdict = { status: 'unavailable' } as Verdict
    expect(outcomeOf({ verdict, status: 503, upstream: 'not-asked' })).toBe('unavailable')
    expect(outcomeOf({ verdict, status: 200, upstream: 'answered' })).toBe('forwarded')
  })

  const failed = { changes: { upstream: 'answered', status: 500 } } as const
  const unreached = { changes: { upstream: 'unreachable', upstreamError: '127.0.0.1:9000 ECONNREFUSED' } } as const
  const elsewhere = { options: { serviceDomain: 'other.example' } }
  const ask = 'signed under service.example: ask the service whether that domain is theirs'
  test.each<[outcome: string, list: string, account: string, note: string, ReceivedRequest, Setting?]>([
    ['verified', 'signed', '1234', 'the application answered 500', sign(), failed],
    ['verified', 'signed', '1234', 'upstream unreachable 127.0.0.1:9000 ECONNREFUSED', sign(), unreached],
    ['refused', 'signed', '', `key-name-outside-domain, ${ask}`, sign(), elsewhere],
    // This one of the six failures explains all of them.
    ['refused', 'other', '', 'signature-missing', UNSIGNED]
  ])('of a %s request is in the list "%s", with account "%s" and the note: %s', async (...row) => {
    const [outcome, list, account, note, request, setting] = row
    expect(await rowWith(request, setting)).toMatchObject({ outcome, list, account, note })
  })
})

describe('one request', () => {
  test('has its diagnosis, in words of the command line', async () => {
    const { diagnosis } = await open(changed({ https: false }))
    expect(diagnosis.checks.map(({ check }) => check)).toEqual(CHECK_NAMES)
    expect(diagnosis.failures.map(({ code }) => code)).toEqual(['not-https'])
    expect(diagnosis.failures[0]?.fix).toContain('--https x-forwarded-proto')
  })

  test('has the signing string line by line, and says which headers are signed', async () => {
    const { signing, headers } = await open(ELSEWHERE)
    expect(signing.map(line => line.split(':')[0])).toEqual([
      '(request-target)',
      'host',
      'date',
      'content-length',
      'content-type',
      'x-service-id',
      'digest',
      'x-nonce'
    ])
    expect(signing[0]).toBe('(request-target): post /other')
    expect(headers.filter(({ isSigned }) => !isSigned).map(({ name }) => name)).toEqual(['Signature'])
  })

  test('has the signature base of RFC 9421, of the signature under the domain', async () => {
    const options: Partial<VerifierOptions> = { serviceDomain: 'SERVICE.example' }
    const { signing, headers } = await open(sign({ scheme: 'rfc9421' }), { options })
    const [method, target, authority] = signing
    expect([method, target]).toEqual(['"@method": POST', '"@request-target": /hook?id=42'])
    expect(authority).toBe('"@authority": receiver.example')
    expect(signing.at(-1)).toMatch(/^"@signature-params": \(/)
    expect(headers.filter(({ isSigned }) => !isSigned).map(({ name }) => name)).toEqual([
      'Signature-Input',
      'Signature'
    ])
  })

  test('has the signature base of a signature whose list came in two lines', async () => {
    const signed = sign({ scheme: 'rfc9421' })
    const line = (name: string, value: string): [string, string][] => [[name, value]]
    const headers = [
      ...line('Signature-Input', 'other=("date");keyid="a.other.example"'),
      ...line('Signature', 'other=:AAAA:'),
      ...signed.headers
    ]
    expect((await open({ ...signed, headers })).signing).toEqual((await open(signed)).signing)
  })

  test.each([
    ['no Signature', undefined],
    ['one that cannot be parsed', 'x'],
    ['one that covers what is not there', 'keyId="a",headers="x-other",signature="AAAA"']
  ])('has no signing string with %s', async (_, value) => {
    expect((await open(withHeaders(sign(), { Signature: value }))).signing).toEqual([])
  })

  test('has headers in printable ASCII, cut at 1,000 characters', async () => {
    const { headers } = await open(withHeaders(sign(), { 'X-A': `\u202e\0${'x'.repeat(10_000)}` }))
    expect(headers.at(-1)?.value).toMatch(/^\\u\{202e\}\\u\{0\}x{998}\.\.\.$/)
  })

  test.each([
    ['{"name":"Zoë"}', '{"name":"Zoë"}', '15 bytes'],
    ['', '', 'The body is empty.'],
    [Buffer.from([0xff, 0xfe, 0x41]), 'ff fe 41', '3 bytes in hex, as it is not UTF-8'],
    ['a\u202eb\u2028c\0', 'a\\u{202e}b\\u{2028}c\\u{0}', '10 bytes'],
    [`${'x'.repeat(4095)}é`, 'x'.repeat(4095), '4097 bytes, the beginning'],
    ['y'.repeat(70_000), 'y'.repeat(4096), '70000 bytes, the beginning']
  ])('has the beginning of a body: %#', async (body, text, note) => {
    expect((await open(sign({ body }))).body).toEqual({ text, note })
  })
})

const store = (claim: () => Promise<boolean>) => ({ replayStore: { claim, release: async () => {} } })
const failing = (code: string) => ({ lookupTxt: () => Promise.reject(Object.assign(new Error(), { code })) })

const CASES: readonly [name: string, ReceivedRequest, Setting?][] = [
  ['verified', sign()],
  ['a body with bytes of any kind', sign({ body: Buffer.from([0, 0xff, 0xc3, 0x28]) })],
  ['a body that a shell would change', sign({ body: 'a\nEND\n$(id) `id` !x \\ "\'\t\u001b[31m' })],
  ['no body', service.sign({ date: new Date(NOW) })],
  ['replayed', sign(), { options: store(async () => false) }],
  ['a store that is down', sign(), { options: store(() => Promise.reject(new Error('down'))) }],
  ['another host', OTHER_HOST],
  ['a changed target', changed({ target: '/hook' })],
  ['a changed body', OTHER_BODY],
  ['a body that is too large', sign(), { options: { maxBodyBytes: 4 } }],
  ['a scanner', { ...UNSIGNED, https: true }],
  ['a line break in a header', withHeaders(sign(), { 'X-Nonce': 'a\r\nb' })],
  ['bytes above ASCII', { ...withHeaders(sign(), { 'X-Nonce': 'é\ud800' }), target: '/\udfff' }],
  ['an old Date', sign({ date: new Date(NOW - 3_600_000) })],
  ['without HTTPS', changed({ https: false })],
  ['without HTTPS, which is not required', changed({ https: false }), { options: { requireHttps: false } }],
  ['another account', sign(), { options: { accounts: ['-9', "it's", '$(id)'] } }],
  ['another prefix', sign(), { options: { accountPrefix: '' } }],
  ['another domain', sign(), { options: { serviceDomain: 'other.example' } }],
  ['no key', sign(), { options: failing('ENOTFOUND') }],
  ['DNS that fails', sign(), { options: failing('ESERVFAIL') }],
  ['redacted and refused', ELSEWHERE, { redact: true }]
]

describe('the explain command, pasted as it is copied, gives the same codes for', () => {
  test.each(CASES)('%s', async (_, request, setting) => {
    const { exchange, fixture, command = '' } = await open(request, setting)
    expect(command).toMatch(/^[\n -~]+$/)
    expect(command).not.toContain('!')
    // A shell expands nothing before the line with the quoted word.
    expect(command).toBe(`npx signed-requests explain <<'END'\n${fixture}\nEND\n`)
    expect(fixture?.split('\n')).not.toContain('END')
    const { code, stdout } = await runInside(['explain', '--json'], `${fixture}\n`)
    const { status, failures } = JSON.parse(stdout) as { status: string; failures: { code: string }[] }
    const { verdict } = exchange
    expect([code, status, failures.map(failure => failure.code)]).toEqual([
      { verified: 0, rejected: 1, unavailable: 2 }[verdict.status],
      verdict.status,
      verdict.failures.map(failure => failure.code)
    ])
  })
})

test('a value that was empty is not shown as one that is left out, and no body as none', async () => {
  const { body: _, ...request } = service.sign({ date: new Date(NOW) })
  const changes: object = { body: undefined, bodyLength: 0 }
  const { headers, fixture, outcome } = await open(withHeaders({ ...request, body: null }, { 'X-A': '' }), { changes })
  expect(headers.at(-1)).toEqual({ name: 'X-A', value: '', isBlank: false, isSigned: false })
  expect([outcome, JSON.parse(fixture!).vectors[0].request.body]).toEqual(['verified', { utf8: '' }])
})

test('of a head that is too large, the values that are not kept are not shown', async () => {
  const { headers } = await open(withHeaders(ELSEWHERE, { 'X-A': 'x'.repeat(40_000), 'X-B': 'y' }))
  expect(headers.slice(-2)).toEqual([
    { name: 'X-A', value: '', isBlank: false, isSigned: false },
    { name: 'X-B', value: '', isBlank: false, isSigned: false }
  ])
})

test('a verified request whose body the gateway does not have is shown without it', async () => {
  const { body } = await open(sign(), { changes: { body: undefined } })
  expect(body).toEqual({ note: '8 bytes, the beginning', text: '' })
})

test('a body of which no byte came is shown as one that did not come', async () => {
  const { kept, verifier } = await keep(OTHER_BODY)
  const { vectors, ...others } = kept.fixture()
  const request = { ...vectors[0]!.request, body: { error: 'ECONNRESET' } }
  const fixture = () => ({ ...others, vectors: [{ ...vectors[0]!, request }] })
  const { body } = detailOf({ ...kept, fixture }, verifier, false) as Detail
  expect(body).toEqual({ note: '0 bytes, and the rest did not arrive (ECONNRESET)', text: '' })
})

describe('a fixture', () => {
  test.each<[string, ReceivedRequest, Setting]>([
    ['the body is larger than 64 KiB', sign({ body: Buffer.alloc(65_537) }), {}],
    ['a verified body is redacted', sign(), { redact: true }]
  ])('is not offered when %s', async (_, request, setting) => {
    const { fixture, command } = await open(request, setting)
    expect([fixture, command]).toEqual([undefined, undefined])
  })

  test('has the key that was used, and no other', async () => {
    const { fixture = '' } = await open(sign())
    expect(JSON.parse(fixture).vectors[0].dns).toEqual({ [KEY]: service.records[KEY] })
  })
})

test.each([
  '/hook?id=42',
  // With this target, the signature does not verify.
  '/other'
])('redacting leaves no secret in what is kept: %s', async target => {
  const secrets = { Authorization: 'Basic xyzzy', Cookie: 'session=xyzzy' }
  const request = { ...withHeaders(sign({ body: '{"secret":"xyzzy"}' }), secrets), target }
  const { exchange: _, ...shown } = await open(request, { redact: true })
  expect(JSON.stringify(shown)).not.toContain('xyzzy')
  const blank = shown.headers.filter(({ isBlank }) => isBlank).map(({ name }) => name)
  expect(blank).toEqual(['Authorization', 'Cookie'])
  expect(shown.headers.find(({ name }) => name === 'Digest')?.value).toMatch(/^SHA-256=/)
  expect(shown.body.note).toBe('Bodies are not shown (--redact).')
  const { kept } = await keep(request, { redact: true })
  expect(JSON.stringify([kept.fixture(), kept.body])).not.toContain('xyzzy')
})

test('redacting leaves no secret in the signing string, whatever a forged signature lists', async () => {
  const covers = (names: string) => (value: string) => value.replace('x-nonce"', `x-nonce ${names}"`)
  const signature = new Map(sign().headers).get('Signature')!
  const request = withHeaders(sign(), {
    Signature: covers('authorization x-token')(signature.replace(/X-nonce"/i, 'x-nonce"')),
    Authorization: 'Basic xyzzy',
    'X-Token': 'xyzzy'
  })
  const { exchange: _, ...shown } = await open(request, { redact: true })
  expect(shown.signing).toContain('authorization: (left out)')
  expect(JSON.stringify(shown)).not.toContain('xyzzy')
})

test('of a large body only the beginning stays in memory, and nothing of the buffer behind it', async () => {
  for (const length of [65_536, 65_537, 10_000_000]) {
    const { body, verdict } = (await keep(sign({ body: Buffer.alloc(length, 'x') }))).kept
    expect(body?.buffer.byteLength).toBe(65_536)
    expect(verdict.status === 'verified' && verdict.body.length).toBe(0)
  }
})

test('no page and no line of the log has a piece of a private key that is in DNS', async () => {
  const secret = readFileSync('fixtures/source/keys/one.pem', 'utf8')
  const text = `v=DKIM1; k=rsa; p=${secret.replace(/-----[^-]+-----|\s/g, '')}`
  const pieces = text.slice(18).match(/.{8}/g)!
  for (const answer of [[[text]], [['v=DKIM1; p='], [text]], [[text.slice(0, 200)], [text.slice(200)]]]) {
    const setting = { options: { lookupTxt: async () => answer } }
    const { exchange, ...page } = await open(sign(), setting)
    const lines = (['json', 'text'] as const).map(form => logText({ ...exchange, requestId: 'id-1' }, form))
    const output = JSON.stringify([page, overviewOf((await keep(sign(), setting)).kept), ...lines]).replace(
      /\\n|\s/g,
      ''
    )
    expect(page.diagnosis.failures).toMatchObject([{ fix: expect.stringContaining('REVOKE THIS KEY NOW') }])
    expect(pieces.filter(piece => output.includes(piece))).toEqual([])
  }
})
