import { describe, expect, test } from 'vitest'
import type { ReceivedRequest, VerifierOptions } from '../../../src/index.ts'
import { rfc9421 } from '../../../src/rfc9421/index.ts'
import { createRecent, cutDown } from '../../src/admin/recent.ts'
import { detailOf, rowOf } from '../../src/admin/view.ts'
import type { Exchange } from '../../src/exchange.ts'
import { service } from '../support/admin.ts'
import { exchangeOf, withHeader } from '../support/exchanges.ts'

interface Detail {
  method: string
  target: string
  checks: { check: string; outcome: string; code?: string; text: string }[]
  failures: { code: string; facts: string[]; cause: string; fix: string; record?: string }[]
  signing: { text: string; isOftenChanged: boolean }[]
  headers: { name: string; value: string; isSigned: boolean; isBlank: boolean }[]
  body: { kind: string; text: string; length?: number; isCut: boolean; note: string }
}

const signed = (more: Parameters<typeof service.sign>[0] = {}) =>
  service.sign({ method: 'POST', target: '/hook?id=1', body: '{"id":1}', ...more })

function keep(exchange: Exchange, redact: boolean) {
  const recent = createRecent()
  recent.keep(cutDown(exchange, redact))
  return recent.get(1)!
}

async function open(
  request: ReceivedRequest,
  { redact = false, ...options }: Partial<VerifierOptions> & { redact?: boolean } = {},
  changes: Partial<Exchange> = {}
): Promise<Detail> {
  const all = { ...service.options, ...options }
  return detailOf(keep(await exchangeOf(request, all, changes), redact), all, redact) as Detail
}

const previewOf = async (body: Uint8Array | string) => (await open(signed({ body }))).body

describe('a line of the list', () => {
  test('has the verdict, its codes and all twelve checks', async () => {
    const exchange = await exchangeOf(withHeader(signed(), 'Host', 'other.example'), service.options)
    const row = rowOf(keep(exchange, false)) as { checks: object[] }
    expect(row).toMatchObject({
      number: 1,
      method: 'POST',
      verdict: 'rejected',
      status: 401,
      codes: ['host-mismatch']
    })
    expect(row.checks).toHaveLength(12)
    expect(row.checks[3]).toEqual({ check: 'host', outcome: 'fail' })
  })

  test('is printable ASCII and short, whatever was sent', async () => {
    const hostile = `/${'\u202e<img src=x>\0\ud800é'.repeat(10_000)}`
    const exchange = await exchangeOf(
      { ...signed(), method: 'POST\n'.repeat(100), target: hostile },
      service.options
    )
    const text = JSON.stringify(rowOf(keep(exchange, false)))
    expect(text).toMatch(/^[ -~]+$/)
    expect(text.length).toBeLessThan(3000)
  })
})

describe('one request', () => {
  test('has every check with its result', async () => {
    const { checks } = await open({ ...signed(), target: '/other' })
    expect(checks.map(({ outcome }) => outcome)).toEqual([
      ...Array(9).fill('pass'),
      'fail',
      'not-run',
      'not-run'
    ])
    expect(checks[9]).toEqual({
      check: 'signature',
      outcome: 'fail',
      code: 'signature-mismatch',
      text: 'the signature does not verify with the key'
    })
    expect(checks[10]?.text).toBe('the signature did not verify')
  })

  test('has the text of explain: the facts, the likely cause, the fix, the record', async () => {
    const { failures } = await open({ ...signed(), target: '/other' })
    expect(failures).toEqual([
      expect.objectContaining({
        code: 'signature-mismatch',
        cause: 'the key did make this signature, so one of the lines was changed on the way',
        facts: ['keyId key1._domainkey.service.example', 'algorithm rsa-sha256'],
        record: service.records['key1._domainkey.service.example']?.[0]?.join('')
      })
    ])
  })

  test('says how long a changed body is, and which error was thrown', async () => {
    const changed = await open({ ...signed(), body: Buffer.from('{"id":1}\n') })
    expect(changed.failures[0]?.facts).toContain('body: 1 byte longer than what was signed (9 instead of 8)')
    const lookupTxt = () =>
      Promise.reject(Object.assign(new Error('queryTxt ESERVFAIL'), { code: 'ESERVFAIL' }))
    const broken = await open(signed(), { lookupTxt })
    expect(broken.failures[0]?.facts).toContain('thrown: Error: queryTxt ESERVFAIL')
  })
})

describe('the signing string', () => {
  const DRAFT = [
    ['(request-target): post /hook?id=1', true],
    ['host: receiver.example', true],
    ['date: ', false],
    ['content-length: 8', true],
    ['content-type: application/json', true],
    ['x-service-id: account-1234', false],
    ['digest: ', false],
    ['x-nonce: ', false]
  ]

  test('is shown line by line, with marks on the lines that proxies often change', async () => {
    const { signing } = await open(signed())
    expect(signing.map(({ text }) => text).join('\n')).toMatch(
      new RegExp(DRAFT.map(([start]) => `${String(start).replace(/[()?]/g, '\\$&')}.*`).join('\n'))
    )
    expect(signing.map(line => line.isOftenChanged)).toEqual(
      DRAFT.map(([, isOftenChanged]) => isOftenChanged)
    )
  })

  test('is the one that was checked, of a mismatch', async () => {
    const { signing } = await open({ ...signed(), target: '/other' })
    expect(signing[0]).toEqual({ text: '(request-target): post /other', isOftenChanged: true })
  })

  test('is the signature base of RFC 9421', async () => {
    const { signing, headers } = await open(signed({ scheme: 'rfc9421' }), { schemes: [rfc9421] })
    expect(signing.slice(0, 3)).toEqual([
      { text: '"@method": POST', isOftenChanged: false },
      { text: '"@request-target": /hook?id=1', isOftenChanged: true },
      { text: '"@authority": receiver.example', isOftenChanged: true }
    ])
    expect(signing.at(-1)?.text).toMatch(/^"@signature-params": \(/)
    expect(headers.filter(({ isSigned }) => isSigned).map(({ name }) => name)).toContain('Host')
  })

  test.each([
    ['no Signature', undefined],
    ['one that cannot be parsed', 'x'],
    ['one that covers what is not there', 'keyId="a",headers="x-other",signature="AAAA"']
  ])('is not there with %s', async (_, value) => {
    const request = signed()
    const headers = request.headers.flatMap(([name, received]): [string, string][] =>
      name !== 'Signature' ? [[name, received]] : value === undefined ? [] : [[name, value]]
    )
    expect((await open({ ...request, headers })).signing).toEqual([])
  })
})

describe('headers', () => {
  test('say what is signed', async () => {
    const { headers } = await open(signed({ headers: [['X-Signed', 'a']] }), {}, {})
    const names = headers.filter(({ isSigned }) => isSigned).map(({ name }) => name)
    expect(names).toEqual([
      'Host',
      'Date',
      'Content-Length',
      'Content-Type',
      'X-Service-ID',
      'Digest',
      'X-Nonce'
    ])
  })

  test('are printable ASCII, cut at 1,000 characters', async () => {
    const request = signed()
    const { headers } = await open({
      ...request,
      headers: [...request.headers, ['X-A', `\u202e\0${'x'.repeat(100_000)}`]]
    })
    const value = headers.at(-1)?.value ?? ''
    expect(value).toMatch(/^\\u202e\\x00x+\.\.\. \(99002 more\)$/)
  })
})

describe('redact', () => {
  const secret = 'Basic c2VjcmV0OnNlY3JldA=='
  const withSecret = () => {
    const request = signed({ body: '{"secret":"xyzzy"}' })
    return {
      ...request,
      headers: [...request.headers, ['Authorization', secret], ['Cookie', 'session=xyzzy']]
    } as const
  }
  const open2 = (request: ReceivedRequest) => open(request, { redact: true })

  test('blanks the body and the headers that no check reads, and says so', async () => {
    const { headers, body } = await open2(withSecret() as unknown as ReceivedRequest)
    expect(headers.filter(({ isBlank }) => isBlank)).toEqual([
      { name: 'Authorization', value: '', isSigned: false, isBlank: true },
      { name: 'Cookie', value: '', isSigned: false, isBlank: true }
    ])
    expect(headers.find(({ name }) => name === 'Digest')?.value).toMatch(/^SHA-256=/)
    expect(body).toMatchObject({
      kind: 'none',
      text: '',
      length: 18,
      note: expect.stringContaining('--redact')
    })
  })

  test('leaves no secret anywhere in the view, verified or refused', async () => {
    for (const request of [
      withSecret(),
      { ...withSecret(), target: '/other' },
      { ...withSecret(), body: Buffer.from('{"secret":"xyzzy" }') }
    ]) {
      const text = JSON.stringify(await open2(request as unknown as ReceivedRequest))
      expect(text).not.toContain('xyzzy')
      expect(text).not.toContain(secret)
    }
  })
})

describe('the body', () => {
  test('is text where it is UTF-8, letters of any script included', async () => {
    expect(await previewOf('{"name":"Zoë שלום 你好 😀"}\n')).toEqual({
      kind: 'text',
      text: '{"name":"Zoë שלום 你好 😀"}\n',
      length: Buffer.byteLength('{"name":"Zoë שלום 你好 😀"}\n'),
      isCut: false,
      note: ''
    })
  })

  test('escapes invisible characters', async () => {
    const { text } = await previewOf('a\u202eb\u200bc\u0007d\u2028e\u2066f\ufeffg\re\u00adh\u{e0041}i\tj')
    expect(text).toBe(
      'a\\u{202e}b\\u{200b}c\\u{7}d\\u{2028}e\\u{2066}f\\u{feff}g\\u{d}e\\u{ad}h\\u{e0041}i\tj'
    )
  })

  test('is in hex where it is not UTF-8', async () => {
    const { kind, text } = await previewOf(
      Buffer.from([...Buffer.from('GIF89a'), 0xff, 0xfe, ...Buffer.from('0123456789')])
    )
    expect(kind).toBe('hex')
    expect(text).toBe(
      [
        '0000  47 49 46 38 39 61 ff fe  GIF89a..',
        '0008  30 31 32 33 34 35 36 37  01234567',
        '0010  38 39                    89'
      ].join('\n')
    )
  })

  test('is cut at 4,096 bytes, and a character that is cut in two does not make it hex', async () => {
    const { kind, text, length, isCut } = await previewOf(`x${'é'.repeat(5000)}`)
    expect([kind, text.length, length, isCut]).toEqual(['text', 2048, 10_001, true])
    const large = await previewOf(`x${'é'.repeat(50_000)}`)
    expect([large.kind, large.text.length, large.isCut]).toEqual(['text', 2048, true])
  })

  test('that ends within a character is hex', async () => {
    expect((await previewOf(Buffer.from([0x61, 0xc3]))).kind).toBe('hex')
  })

  test('says why no body is shown', async () => {
    expect((await previewOf('')).note).toBe('The body is empty.')
    const { body } = await open({ ...signed(), target: '/other' }, {}, { body: undefined })
    expect(body).toMatchObject({ kind: 'none', note: expect.stringContaining('was not kept') })
  })
})
