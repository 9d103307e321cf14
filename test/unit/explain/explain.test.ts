import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type CheckName,
  createVerifier,
  explain,
  type Failure,
  type ReceivedRequest,
  type Verdict,
  type VerifierOptions
} from '../../../src/index.ts'
import { CHECK_NAMES, CODES } from '../../../src/result/codes.ts'
import { captureFixture, createTestService, type SignRequest } from '../../../src/testing/index.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { readFixture } from '../../support/read-fixture.ts'
import { unicode } from '../properties/arbitraries.ts'

const service = createTestService({ rsaBits: 1024 })
const NOW = Date.parse('2026-11-20T12:00:00Z')
const KEY_NAME = 'key1._domainkey.service.example'
const BODY = '{"event":"published"}\n'

const sign = (request: SignRequest = {}): ReceivedRequest =>
  service.sign({ method: 'POST', target: '/hook', body: BODY, date: new Date(NOW), ...request })

const optionsWith = (options: Partial<VerifierOptions> = {}): VerifierOptions => ({
  ...service.options,
  dateTolerance: 300,
  now: () => NOW,
  ...options
})

const judge = (request: ReceivedRequest, options?: Partial<VerifierOptions>): Promise<Verdict> =>
  createVerifier(optionsWith(options))(request)

/** Every explanation is safe to print anywhere. */
function explained(verdict: Verdict): string {
  const text = explain(verdict)
  expect(text).toMatch(/^[ -~\n]*$/)
  expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  return text
}

/** Without the line breaks that the width of a terminal asks for. */
const unwrapped = (text: string): string => text.replace(/\n {6,}/g, ' ')

function withHeader(request: ReceivedRequest, name: string, change: (value: string) => string): ReceivedRequest {
  const lines = [...(request.headers as Iterable<readonly [string, string]>)]
  return {
    ...request,
    headers: lines.map(([header, value]) => [header, header === name ? change(value) : value] as const)
  }
}

const recordOf = (name: string): string => service.records[name]![0]!.join('')
const recordAs = (record: string) => ({ lookupTxt: async () => [[record]] })

interface Case {
  check: CheckName
  request: ReceivedRequest
  options?: Partial<VerifierOptions>
  line: string
  cause: string
  fix: string
}

const CASES: readonly Case[] = [
  {
    check: 'request',
    request: withHeader(sign(), 'X-Nonce', () => 'a\r\nX-Admin: yes'),
    line: 'request-malformed: the request is not well-formed HTTP; part header-value; name X-Nonce',
    cause: 'the header-value X-Nonce was decoded or rebuilt on the way, or it is a broken sender, or an attack',
    fix: 'Pass method, target and headers as received, undecoded: let an adapter do it.'
  },
  {
    check: 'https',
    request: { ...sign(), https: false },
    line: 'not-https: the request did not arrive over HTTPS',
    cause: 'TLS ends at a proxy, or the sender used http',
    fix: "If your own proxy sets X-Forwarded-Proto, give the adapter https: 'x-forwarded-proto'; if it accepts only TLS, https: true."
  },
  {
    check: 'date',
    request: sign({ date: new Date(NOW - 47 * 60_000) }),
    line: "date-too-old: Date is too long ago; received Fri, 20 Nov 2026 11:13:00 GMT; expected within 5 minutes; this machine's clock Fri, 20 Nov 2026 12:00:00 GMT",
    cause:
      "Date is 47 minutes behind this machine's clock (Fri, 20 Nov 2026 12:00:00 GMT): the request was " +
      'delayed or replayed, or this clock is fast',
    fix: "Run date -u on this machine: if it differs from the true time, correct this machine's clock (NTP); if not, the request is old (or the clock of the sender is slow), and a retry needs a fresh signature."
  },
  {
    check: 'host',
    request: sign({ host: 'backend.internal:8080' }),
    line: 'host-mismatch: Host is not one of the configured hosts; received backend.internal:8080; expected receiver.example',
    cause: 'a proxy replaced Host with the address that it forwards to (backend.internal:8080)',
    fix: 'Have the proxy keep Host (nginx: proxy_set_header Host $http_host)'
  },
  {
    check: 'account',
    request: sign({ headers: { 'X-Service-ID': 'account-99' } }),
    line: 'account-mismatch: the request is for another account; header x-service-id; received 99; expected 1234',
    cause: 'the request is for another customer of the service, or for an account of yours that is not configured',
    fix: "If 99 is yours: accounts: [..., '99'] (now 1234)."
  },
  {
    check: 'signature-header',
    request: withHeader(sign(), 'Signature', value => value.replace('",algorithm', '" algorithm')),
    line: 'because a comma is expected; near ey.service.example\\" algorithm=\\"rsa-sha',
    cause: 'the sender wrote it so, or a proxy changed it',
    fix: 'Have proxies pass every header on unchanged.'
  },
  {
    check: 'coverage',
    request: sign({ covered: ['(request-target)', 'Host', 'Date', 'X-Service-ID'] }),
    line: 'missing digest; covered (request-target), host, date, x-service-id',
    cause: 'the sender signs less than the service does',
    fix: 'Have the sender sign digest, or anyone can change it.'
  },
  {
    check: 'key-name',
    request: sign(),
    options: { serviceDomain: 'another.example' },
    line: `received ${KEY_NAME}; domain another.example`,
    cause: "somebody else's key, or a wrong serviceDomain",
    fix: 'Set serviceDomain to the domain that the service documents for its keys (it is now another.example).'
  },
  {
    check: 'key',
    request: sign(),
    options: recordAs('v=DKIM1; k=rsa; p='),
    line: `key-revoked: the key has been revoked; name ${KEY_NAME}`,
    cause: 'the key was revoked (p= of the record is empty): it was replaced',
    fix: 'The sender must sign with the new key, and name that one in keyId.'
  },
  {
    check: 'signature',
    request: { ...sign(), target: '/another/place' },
    line: `signature-mismatch: the signature does not verify with the key; keyId ${KEY_NAME}; algorithm rsa-sha256`,
    cause: 'the key did make this signature, so a signed line was changed on the way, or more than one',
    fix:
      'Compare the lines below with those that the sender signed. Proxies often change the target (a part of the ' +
      'path stripped, which prefix puts back; a query dropped, a path rewritten), Host and what describes the body: ' +
      'pass the target as received, such as req.originalUrl.'
  },
  {
    check: 'digest',
    request: { ...sign(), body: '{"event":"deleted"}\n' },
    line: 'digest-mismatch: Digest does not match the body; algorithm sha-256; expected ',
    cause: 'the body was changed after it was signed: parsed and serialized again, or replaced; it is 2 bytes shorter',
    fix: 'Verify the raw bytes, before any body parser or proxy that re-encodes them.'
  },
  {
    check: 'replay',
    request: sign(),
    options: { replayStore: { claim: async () => false, release: async () => {} } },
    line: 'replayed: the same signature was accepted before; replayId ',
    cause: 'the same bytes came again: a retry of the sender (was the answer late?), or an attack',
    fix: 'Nothing to fix if the first one was handled: this is what a replay store is for.'
  }
]

describe('a captured request that fails one check', () => {
  test('exists for every check', () => expect(CASES.map(({ check }) => check)).toEqual([...CHECK_NAMES]))

  test.each(CASES)('$check: names it, what was received and expected, the cause and the fix', async one => {
    const options = optionsWith(one.options)
    const verdict = await createVerifier(options)(one.request)
    const document = captureFixture(one.request, verdict, {
      options,
      dns: { [KEY_NAME]: await options.lookupTxt!(KEY_NAME, { signal: AbortSignal.abort() }) },
      now: new Date(NOW)
    })

    const fixture = readFixture(JSON.stringify(document), undefined)
    const again = await createVerifier(fixture.options as VerifierOptions)(fixture.request)
    const text = explained(again)
    const lines = unwrapped(text).split('\n')

    expect(again).toEqual(verdict)
    expect(lines[0]).toBe(`rejected: ${one.check}`)
    expect(lines.slice(2, 14).map(line => line.slice(6, 24).trim())).toEqual([...CHECK_NAMES])
    expect(lines.slice(2, 14).filter(line => line.startsWith('FAIL'))).toEqual([
      expect.stringContaining(one.line.replaceAll('\\"', '"'))
    ])
    expect(lines).toContainEqual(expect.stringContaining(`  likely cause: ${one.cause}`))
    expect(lines).toContainEqual(expect.stringContaining(`  fix: ${one.fix}`))
  })
})

describe('what the evidence shows', () => {
  const withBody = (signed: string, received: string) => judge({ ...sign({ body: signed }), body: received })

  test.each([
    ['newline-removed', '{"a":1}\n', '{"a":1}', '1 byte shorter than what was signed (7 instead of 8)'],
    ['newline-added', '{"a":1}', '{"a":1}\n', '1 byte longer than what was signed (8 instead of 7)'],
    ['json-reserialized', '{"a": 1, "b": [1, 2]}', '{"a":1,"b":[1,2]}', '4 bytes shorter than what was signed'],
    ['json-reserialized', '{\n  "a": 1\n}', '{"a":1}', '5 bytes shorter than what was signed'],
    ['crlf-to-lf', 'a\r\nb\r\n', 'a\nb\n', '2 bytes shorter than what was signed'],
    ['bom-removed', '\ufeff{"a":1}', '{"a":1}', '3 bytes shorter than what was signed'],
    ['bom-added', '{"a":1}', '\ufeff{"a":1}', '3 bytes longer than what was signed']
  ])('a body with its %s', async (reencoding, signed, received, length) => {
    const text = explained(await withBody(signed, received))
    expect(unwrapped(text)).toMatch(
      new RegExp(`likely cause: (?:a|its|the) .* after it was signed \\(${reencoding}\\)`)
    )
    expect(text).toContain(`body: ${length}`)
  })

  test('a body of the same length, and one whose length is not signed', async () => {
    expect(explained(await withBody('{"a":1}', '{"a":2}'))).toContain('body: 7 bytes, as long as what was signed')
    const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
    const text = explained(await judge({ ...sign({ body: 'abc', covered }), body: 'abcd' }))
    expect(text).toContain('body: 4 bytes; Content-Length is not signed')
    const empty = explained(await judge({ ...sign({ body: 'abc', covered }), body: '' }))
    expect(unwrapped(empty)).toContain('likely cause: the body is empty, and was not when it was signed')
  })

  test.each([
    [-301, 'Date is 5 minutes behind', 'delayed or replayed, or this clock is fast'],
    [-3 * 3600, 'Date is 3 hours behind', 'delayed or replayed, or this clock is fast'],
    [-5 * 86_400, 'Date is 5 days behind', 'delayed or replayed, or this clock is fast'],
    [500, 'Date is 8 minutes ahead of', "the sender's clock is fast, or this one is slow"]
  ])('a Date that is %d seconds off: both times, and which way they differ', async (seconds, offset, cause) => {
    const date = new Date(NOW + seconds * 1000)
    const text = unwrapped(explained(await judge(sign({ date }))))
    expect(text).toContain(`likely cause: ${offset}`)
    expect(text).toContain(cause)
    expect(text).toContain(`received ${date.toUTCString()}; expected within 5 minutes`)
    expect(text).toContain("this machine's clock Fri, 20 Nov 2026 12:00:00 GMT")
    expect(text).not.toMatch(/minutes slow|hours slow|is slow: /)
  })

  test.each([
    ['created', -900, 'created is 15 minutes behind'],
    ['created', 900, 'created is 15 minutes ahead of'],
    ['expires', -900, 'expires is 15 minutes behind']
  ])('a signature whose %s is %d seconds off', async (name, seconds, offset) => {
    const time = NOW / 1000 + seconds
    const request = withHeader(sign(), 'Signature', value => `${value},${name}=${time}`)
    const text = unwrapped(explained(await judge(request)))
    expect(text).toContain(`${name} ${time} (${new Date(time * 1000).toUTCString()})`)
    expect(text).toContain(`likely cause: ${offset} this machine's clock (Fri, 20 Nov 2026 12:00:00 GMT)`)
  })

  test('the signing string, line by line, with invisible characters escaped', async () => {
    const request = { ...sign({ headers: { 'X-Nonce': 'a\u00a0b' } }), target: '/h\u00f6\x1b[31m\\ ' }
    const text = explained(await judge(request))
    expect(text.split('\n').slice(text.split('\n').indexOf('  signing string as rebuilt here:') + 1)).toEqual([
      '   1  (request-target): post /h\\xf6\\x1b[31m\\\\\\x20',
      '   2  host: receiver.example',
      '   3  date: Fri, 20 Nov 2026 12:00:00 GMT',
      '   4  content-length: 22',
      '   5  content-type: application/json',
      '   6  x-service-id: account-1234',
      '   7  digest: SHA-256=vp8hbm2v+PXeCuQNPxvcHulD5LjYHLsYWsfpP4l4x/E=',
      '   8  x-nonce: a\\xa0b'
    ])
  })

  test('the record of a key that cannot be used', async () => {
    const record = `${recordOf(KEY_NAME).replace('v=DKIM1;', 'v=DKIM1; t=y;')}`
    const text = explained(await judge(sign(), recordAs(record)))
    expect(text).toContain('key-test-only: the key record is marked as a test')
    expect(text.replace(/\n {19}/g, '')).toContain(`record as found: ${record}`)
  })

  test('several failures, each with its advice', async () => {
    const text = explained(await judge({ ...sign({ host: 'a.example', date: new Date(0) }), https: false }))
    expect(text.split('\n', 1)).toEqual(['rejected: https, date, host'])
    expect(text.match(/likely cause: /g)).toHaveLength(3)
  })
})

describe('a verdict that is not a rejection', () => {
  test('verified: every check has passed', async () => {
    const text = explained(await judge(sign()))
    expect(text).toMatch(/^verified: account 1234, rsa-sha256 by key1\._domainkey\.service\.example\n\nok {4}request/)
    expect(text.match(/^ok .* pass$/gm)).toHaveLength(11)
    expect(text).toMatch(/\n-- {4}replay +not run: there is no replay store$/)
  })

  test('unavailable: what could not be asked', async () => {
    const lookupTxt = () => Promise.reject(Object.assign(new Error('down'), { code: 'ESERVFAIL' }))
    const text = explained(await judge(sign(), { lookupTxt }))
    expect(text).toMatch(/^unavailable: key\n/)
    expect(unwrapped(text)).toContain(`key-lookup-failed: the DNS lookup failed; name ${KEY_NAME}; error ESERVFAIL`)
    expect(unwrapped(text)).toContain('ESERVFAIL, the DNS server got no answer itself')
  })
})

describe('any text from the sender and from DNS', () => {
  const nasty = fc.oneof(
    unicode(),
    fc.constantFrom('\x1b]0;x\x07', 'a\r\nok    digest            pass', '\u202e', 'x'.repeat(5000), '\\x1b')
  )

  test('stays on its line, printable and cut', () => {
    fc.assert(
      fc.property(nasty, nasty, fc.integer(), (text, more, number) => {
        const failures = Object.keys(CODES).map(code => ({
          check: CODES[code as Failure['code']][0],
          code,
          message: CODES[code as Failure['code']][1],
          evidence: {
            ...{ part: text, name: more, header: text, similar: more, parameter: text, reason: more },
            received: code === 'not-https' || code === 'digest-unsupported' ? [text, more] : text,
            expected: code === 'digest-mismatch' ? text : [text, more],
            ...{ missing: [text], covered: [more], absent: [text], repeated: [more], allowed: [text] },
            ...{ domain: text, servers: [more], error: text, store: more, excerpt: text, replayId: text },
            ...{ record: more, signingString: `${text}\n${more}`, keyId: more, signature: text },
            ...{ offsetSeconds: number, toleranceSeconds: number, created: number, expires: number },
            ...{ bodyLength: number, contentLength: 7, position: number, bits: number, limit: number }
          }
        }))
        const checks = Object.fromEntries(
          CHECK_NAMES.map(name => [name, { outcome: 'fail', ...failures.find(({ check }) => check === name) }])
        )
        const output = explained({ status: 'rejected', failures, checks } as unknown as Verdict)
        expect(output.match(/^(?:ok|FAIL|\?\?|--) /gm)).toHaveLength(12)
        expect(output.length).toBeLessThan(300_000)
      }),
      { numRuns: 30 }
    )
  })

  test('is cut, with a note of how much more there is', async () => {
    const told = async (length: number) => unwrapped(explained(await judge(sign({ host: 'h'.repeat(length) }))))
    expect(await told(240)).toContain(`received ${'h'.repeat(56)}`)
    expect(await told(240)).not.toContain('more)')
    expect(await told(241)).toContain('h... (1 more); expected receiver.example')
    expect(await told(5000)).toContain('h... (4760 more); expected receiver.example')
  })

  test('takes little time, however long it is', async () => {
    const request = sign({ headers: { 'X-Nonce': '\x80'.repeat(5_000_000) } })
    const verdict = await judge({ ...request, target: '/other' })
    const tell = () => expect(explained(verdict).replace(/\n {7}/g, '')).toContain('\\x80... (4999409 more)')
    expect(await cpuTime(tell)).toBeLessThan(500)
  })
})
