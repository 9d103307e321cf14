import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CHECK_NAMES, CODES } from '../../../src/core/result/codes.ts'
import { LABELS } from '../../../src/explain/explain.ts'
import {
  type CheckName,
  createVerifier,
  diagnose,
  type Failure,
  type ReceivedRequest,
  type Verdict,
  type VerifierOptions
} from '../../../src/index.ts'
import { captureFixture, type SignRequest } from '../../../src/testing/index.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { explained, unwrapped } from '../../support/explained.ts'
import { claiming, failing } from '../../support/failing.ts'
import { readFixture } from '../../support/read-fixture.ts'
import { service, withHeaders } from '../../support/service.ts'
import { COVERED } from '../../support/situations.ts'
import { unicode } from '../properties/arbitraries.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const [KEY_NAME = ''] = Object.keys(service.records)

const sign = (request: SignRequest = {}): ReceivedRequest =>
  service.sign({ method: 'POST', target: '/hook', body: '{"event":"published"}\n', date: NOW, ...request })

const optionsWith = (options: Partial<VerifierOptions> = {}): VerifierOptions => ({
  ...service.options,
  dateTolerance: 300,
  now: () => NOW,
  ...options
})

const judge = (request: ReceivedRequest, options?: Partial<VerifierOptions>): Promise<Verdict> =>
  createVerifier(optionsWith(options))(request)

const recordAs = (record: string) => ({ lookupTxt: async () => [[record]] })

/** Lists one request for each check that fails, and the text of its line. */
const CASES: [CheckName, line: string, ReceivedRequest, options?: Partial<VerifierOptions>][] = [
  [
    'request',
    'request-malformed: the request is not well-formed HTTP; part header-value; name X-Nonce',
    withHeaders(sign(), { 'X-Nonce': 'a\r\nX-Admin: yes' })
  ],
  ['https', 'not-https: the request did not arrive over HTTPS', { ...sign(), https: false }],
  [
    'date',
    'date-too-old: Date is too old; received Fri, 20 Nov 2026 11:13:00 GMT; expected within 5 minutes; ' +
      "this machine's clock Fri, 20 Nov 2026 12:00:00 GMT",
    sign({ date: NOW - 47 * 60_000 })
  ],
  [
    'host',
    'host-mismatch: Host is not one of the configured hosts; received backend.internal:8080; expected receiver.example',
    sign({ host: 'backend.internal:8080' })
  ],
  [
    'account',
    'account-mismatch: the request is for another account; header x-service-id; received 99; expected 1234',
    sign({ headers: { 'X-Service-ID': 'account-99' } })
  ],
  [
    'signature-header',
    'because a comma is expected; near ey.service.example" algorithm="rsa-sha',
    withHeaders(sign(), { Signature: value => value.replace('",algorithm', '" algorithm') })
  ],
  [
    'coverage',
    'missing digest; covered (request-target), host, date, x-service-id',
    sign({ covered: ['(request-target)', 'Host', 'Date', 'X-Service-ID'] })
  ],
  ['key-name', `received ${KEY_NAME}; domain another.example`, sign(), { serviceDomain: 'another.example' }],
  ['key', `key-revoked: the key has been revoked; name ${KEY_NAME}`, sign(), recordAs('v=DKIM1; k=rsa; p=')],
  [
    'signature',
    `signature-mismatch: the signature does not verify with the key; keyId ${KEY_NAME}; algorithm rsa-sha256`,
    { ...sign(), target: '/another/place' }
  ],
  [
    'digest',
    'digest-mismatch: Digest does not match the body; algorithm sha-256; expected ',
    { ...sign(), body: '{"event":"deleted"}\n' }
  ],
  ['replay', 'replayed: the same signature was accepted before; replayId ', sign(), claiming(async () => false)]
]

describe('a captured request that fails one check', () => {
  test('there is a captured request for every check', () =>
    expect(CASES.map(([check]) => check)).toEqual([...CHECK_NAMES]))

  test.each(CASES)(
    'the explanation names the check %s, what was received and expected, the cause and the fix',
    async (check, line, request, more) => {
      const options = optionsWith(more)
      const verdict = await createVerifier(options)(request)
      const document = captureFixture(request, verdict, {
        options,
        dns: { [KEY_NAME]: await options.lookupTxt!(KEY_NAME, { signal: AbortSignal.abort() }) },
        now: new Date(NOW)
      })

      const fixture = readFixture(JSON.stringify(document))
      const again = await createVerifier(fixture.options as VerifierOptions)(fixture.request)
      const lines = unwrapped(explained(again)).split('\n')
      const [{ cause, fix } = { cause: '', fix: '' }] = diagnose(verdict).failures

      expect(again).toEqual(verdict)
      expect(lines[0]).toBe(`rejected: ${check}`)
      const table = lines.slice(2, 2 + CHECK_NAMES.length)
      expect(table.map(line => line.slice(6, 24).trim())).toEqual([...CHECK_NAMES])
      expect(table.filter(line => line.startsWith('FAIL'))).toEqual([expect.stringContaining(line)])
      expect(lines).toContain(`  ${LABELS.cause} ${cause}`)
      expect(lines).toContain(`  ${LABELS.fix} ${fix}`)
    }
  )
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
  ])(
    'the explanation of a body that was changed names the change, and the length of both: %s',
    async (reencoding, signed, received, length) => {
      const text = explained(await withBody(signed, received))
      expect(unwrapped(text)).toMatch(
        new RegExp(`${LABELS.cause} (?:a|its|the) .* after it was signed \\(${reencoding}\\)`)
      )
      expect(text).toContain(`body: ${length}`)
    }
  )

  test('the explanation of a body compares its length with the one that was signed, if one was', async () => {
    expect(explained(await withBody('{"a":1}', '{"a":2}'))).toContain('body: 7 bytes, as long as what was signed')
    const text = explained(await judge({ ...sign({ body: 'abc', covered: COVERED }), body: 'abcd' }))
    expect(text).toContain('body: 4 bytes; Content-Length is not signed')
    const empty = explained(await judge({ ...sign({ body: 'abc', covered: COVERED }), body: '' }))
    expect(unwrapped(empty)).toContain(`${LABELS.cause} the body is empty: something in front read or dropped it`)
  })

  test.each([
    [-301, 'Date is 5 minutes behind', 'delayed or replayed, or this clock is fast'],
    [-3 * 3600, 'Date is 3 hours behind', 'delayed or replayed, or this clock is fast'],
    [-5 * 86_400, 'Date is 5 days behind', 'delayed or replayed, or this clock is fast'],
    [500, 'Date is 8 minutes ahead of', "the sender's clock is fast, or this one is slow"]
  ])(
    'the explanation of a Date that is %d seconds off has both times, and which way they differ',
    async (seconds, offset, cause) => {
      const date = new Date(NOW + seconds * 1000)
      const text = unwrapped(explained(await judge(sign({ date }))))
      expect(text).toContain(`${LABELS.cause} ${offset}`)
      expect(text).toContain(cause)
      expect(text).toContain(`received ${date.toUTCString()}; expected within 5 minutes`)
      expect(text).toContain("this machine's clock Fri, 20 Nov 2026 12:00:00 GMT")
      expect(text).not.toMatch(/minutes slow|hours slow|is slow: /)
    }
  )

  test.each([
    ['created', -900, 'created is 15 minutes behind'],
    ['created', 900, 'created is 15 minutes ahead of'],
    ['expires', -900, 'expires is 15 minutes behind']
  ])(
    'the explanation of a signature whose %s is %d seconds off has both times, and which way they differ',
    async (name, seconds, offset) => {
      const time = NOW / 1000 + seconds
      const request = withHeaders(sign(), { Signature: value => `${value},${name}=${time}` })
      const text = unwrapped(explained(await judge(request)))
      expect(text).toContain(`${name} ${time} (${new Date(time * 1000).toUTCString()})`)
      expect(text).toContain(`${LABELS.cause} ${offset} this machine's clock (Fri, 20 Nov 2026 12:00:00 GMT)`)
    }
  )

  test('the explanation of a signature whose created is beyond all calendars has no date', async () => {
    const request = withHeaders(sign(), { Signature: value => `${value},created=999999999999999` })
    expect(unwrapped(explained(await judge(request)))).toContain('created 999999999999999; ')
  })

  test('the explanation has the signing string, line by line, with invisible characters escaped', async () => {
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

  test('the explanation of a key that cannot be used has its record', async () => {
    const record = service.records[KEY_NAME]!.flat().join('').replace('v=DKIM1;', 'v=DKIM1; t=y;')
    const text = explained(await judge(sign(), recordAs(record)))
    expect(text).toContain('key-test-only: the key record is marked as a test')
    expect(text.replace(/\n {19}/g, '')).toContain(`record as found: ${record}`)
  })

  test('the explanation shows several failures, each with its advice', async () => {
    const text = explained(await judge({ ...sign({ host: 'a.example', date: new Date(0) }), https: false }))
    expect(text.split('\n', 1)).toEqual(['rejected: https, date, host'])
    expect(text.split(LABELS.cause).slice(1)).toHaveLength(3)
  })
})

describe('a verdict that is not a rejection', () => {
  test('the explanation of a verified request says that every check has passed', async () => {
    const text = explained(await judge(sign()))
    expect(text).toMatch(/^verified: account 1234, rsa-sha256 by key1\._domainkey\.service\.example\n\nok {4}request/)
    expect(text.match(/^ok .* pass$/gm)).toHaveLength(CHECK_NAMES.length - 1)
    expect(text).toMatch(/\n-- {4}replay +not run: there is no replay store$/)
  })

  test('the explanation of an undecided request names what could not be asked', async () => {
    const text = explained(await judge(sign(), { lookupTxt: failing('ESERVFAIL') }))
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

  test('any text from the sender and from DNS stays on its line, printable and cut', () => {
    fc.assert(
      fc.property(nasty, nasty, fc.integer(), (text, more, number) => {
        const failures = Object.keys(CODES).map(code => ({
          check: CODES[code as Failure['code']].check,
          code,
          message: CODES[code as Failure['code']].message,
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
        expect(output.match(/^(?:ok|FAIL|\?\?|--) /gm)).toHaveLength(CHECK_NAMES.length)
        expect(output.length).toBeLessThan(300_000)
      }),
      { numRuns: 30 }
    )
  })

  test('any text from the sender and from DNS is cut, with a note of how much more there is', async () => {
    const told = async (length: number) => unwrapped(explained(await judge(sign({ host: 'h'.repeat(length) }))))
    expect(await told(240)).toContain(`received ${'h'.repeat(56)}`)
    expect(await told(240)).not.toContain('more)')
    expect(await told(241)).toContain('h... (1 more); expected receiver.example')
    expect(await told(5000)).toContain('h... (4760 more); expected receiver.example')
  })

  test('any text from the sender takes little time, however long it is', async () => {
    const request = sign({ headers: { 'X-Nonce': '\x80'.repeat(5_000_000) } })
    const verdict = await judge({ ...request, target: '/other' })
    const tell = () => expect(explained(verdict).replace(/\n {7}/g, '')).toContain('\\x80... (4999409 more)')
    expect(await cpuTime(tell)).toBeLessThan(500)
  })
})
