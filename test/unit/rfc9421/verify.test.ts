import { describe, expect, it, vi } from 'vitest'
import { draftCavage } from '../../../src/draft-cavage/index.ts'
import {
  createVerifier,
  type ReceivedRequest,
  type Verdict,
  type VerifierOptions
} from '../../../src/index.ts'
import { memoryReplayStore } from '../../../src/replay/index.ts'
import { rfc9421 } from '../../../src/rfc9421/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import {
  BODY,
  contentDigest,
  HOST,
  KEY_ID,
  type Line,
  NOW,
  OPTIONS,
  RECORDS,
  type Recipe,
  SECONDS,
  signature,
  signed
} from '../../support/rfc9421.ts'
import { failuresOf } from '../../support/verdicts.ts'

const judge = (request: ReceivedRequest, options: Partial<VerifierOptions> = {}): Promise<Verdict> =>
  createVerifier({ ...OPTIONS, ...options })(request)

const judgeSigned = (recipe: Recipe, options: Partial<VerifierOptions> = {}): Promise<Verdict> =>
  judge(signed(recipe), options)

const BOTH = { schemes: [draftCavage, rfc9421] }

describe('a request signed by RFC 9421', () => {
  it('is verified, with everything the receiver needs', async () => {
    expect(await judge(signed())).toEqual({
      status: 'verified',
      failures: [],
      scheme: 'rfc9421',
      accountId: '1234',
      keyId: KEY_ID.rsa,
      algorithm: 'rsa-v1_5-sha256',
      date: new Date(NOW),
      coveredHeaders: ['@method', '@request-target', '@authority', 'x-service-id', 'content-digest', 'date'],
      nonce: undefined,
      body: new TextEncoder().encode(BODY),
      replayId: undefined,
      checks: expect.objectContaining({ signature: { outcome: 'pass' }, digest: { outcome: 'pass' } })
    })
  })

  it.each(['rsa-v1_5-sha256', 'rsa-pss-sha512', 'ed25519'] as const)(
    '%s, with alg and without',
    async algorithm => {
      const verdict = await judgeSigned({ algorithm })
      expect(verdict).toMatchObject({ status: 'verified', algorithm })
      const without = await judgeSigned(
        { algorithm, params: { alg: undefined } },
        { algorithms: [algorithm] }
      )
      expect(without).toMatchObject({ status: 'verified', algorithm })
    }
  )

  it('without alg takes the first allowed algorithm that fits the key', async () => {
    const pss = signed({ algorithm: 'rsa-pss-sha512', params: { alg: undefined } })
    expect(failuresOf(await judge(pss))).toEqual(['signature: signature-mismatch'])
    const algorithms = ['ed25519', 'rsa-pss-sha512', 'rsa-v1_5-sha256'] as const
    expect((await judge(pss, { algorithms })).status).toBe('verified')
    const onlyEd = await judge(pss, { algorithms: ['ed25519'] })
    expect(failuresOf(onlyEd)).toEqual(['key: key-type-mismatch'])
  })

  it.each([0, 32, 63, 65, 190])(
    'rsa-pss-sha512 with a salt of %i bytes is not that algorithm',
    async saltLength => {
      expect(failuresOf(await judgeSigned({ algorithm: 'rsa-pss-sha512', saltLength }))).toEqual([
        'signature: signature-mismatch'
      ])
    }
  )

  it('has any one of the forms of the target', async () => {
    const without = { '"@request-target"': undefined }
    for (const lines of [
      { '"@target-uri"': `https://${HOST}/hook?id=42` },
      { '"@path"': '/hook', '"@query"': '?id=42' },
      { '"@query"': '?id=42', '"@path"': '/hook', '"@query-param";name="id"': '42' }
    ]) {
      expect((await judgeSigned({ lines: { ...without, ...lines } })).status).toBe('verified')
    }
  })

  it('covers Host, the account header and the digest as they are, or wrapped by bs', async () => {
    const wrap = (value: string) => `:${Buffer.from(value).toString('base64')}:`
    const lines = {
      '"@authority"': undefined,
      '"x-service-id"': undefined,
      '"content-digest"': undefined,
      '"date"': undefined,
      '"host"': HOST,
      '"x-service-id";bs': wrap('account-1234'),
      '"content-digest";bs': wrap(contentDigest(BODY)),
      '"date";bs': wrap('Fri, 20 Nov 2026 12:00:00 GMT')
    }
    const verdict = await judgeSigned({ lines, params: { created: undefined } })
    expect(verdict).toMatchObject({
      status: 'verified',
      coveredHeaders: expect.arrayContaining(['host', 'x-service-id;bs', 'content-digest;bs', 'date;bs'])
    })
  })

  it('may be read from a stream, by a receiver on another port, behind an absolute request-target', async () => {
    async function* stream() {
      yield Buffer.from(BODY)
    }
    expect((await judge({ ...signed(), body: stream() })).status).toBe('verified')
    const other = {
      headers: { Host: 'Receiver.Example:8443' },
      lines: { '"@authority"': 'receiver.example:8443' }
    }
    expect((await judgeSigned(other, { hosts: 'receiver.example:8443' })).status).toBe('verified')
    const target = `https://${HOST}/hook?id=42`
    const absolute = { ...signed({ lines: { '"@request-target"': target } }), target }
    expect((await judge(absolute)).status).toBe('verified')
  })
})

describe('what must be covered', () => {
  it.each([
    ['"@method"', '@method'],
    ['"@request-target"', '@request-target'],
    ['"@authority"', '@authority'],
    ['"x-service-id"', 'x-service-id'],
    ['"content-digest"', 'content-digest']
  ])('%s', async (identifier, missing) => {
    const verdict = await judgeSigned({ lines: { [identifier]: undefined } })
    expect(failuresOf(verdict)).toEqual(['coverage: coverage-insufficient'])
    expect(verdict.checks.coverage).toMatchObject({ evidence: { missing: [missing] } })
  })

  it.each([
    ['"@path" alone', { '"@request-target"': undefined, '"@path"': '/hook' }],
    ['"@query" alone', { '"@request-target"': undefined, '"@query"': '?id=42' }],
    [
      'a parameter of the query',
      { '"@request-target"': undefined, '"@path"': '/hook', '"@query-param";name="id"': '42' }
    ],
    ['"@scheme"', { '"@authority"': undefined, '"@scheme"': 'https' }],
    [
      '"@target-uri" for the authority',
      { '"@authority"': undefined, '"@target-uri"': `https://${HOST}/hook?id=42` }
    ],
    [
      'a member of the digest',
      { '"content-digest"': undefined, '"content-digest";key="sha-256"': contentDigest(BODY).slice(8) }
    ],
    ['the digest by sf', { '"content-digest"': undefined, '"content-digest";sf': contentDigest(BODY) }],
    ['the account by sf', { '"x-service-id"': undefined, '"x-service-id";sf': 'account-1234' }]
  ])('is not covered by %s', async (_, lines) => {
    expect(failuresOf(await judgeSigned({ lines }))).toEqual(['coverage: coverage-insufficient'])
  })

  it('lists everything that is missing', async () => {
    const lines = Object.fromEntries(
      ['"@method"', '"@request-target"', '"@authority"', '"x-service-id"', '"content-digest"', '"date"'].map(
        name => [name, undefined]
      )
    )
    const verdict = await judgeSigned(
      { lines },
      { alsoCovered: ['X-Nonce', 'host', '(expires)', 'Content-Digest'] }
    )
    expect(verdict.checks.coverage).toMatchObject({
      code: 'coverage-insufficient',
      evidence: {
        missing: [
          '@method',
          '@request-target',
          '@authority',
          'x-service-id',
          'content-digest',
          'x-nonce',
          'host',
          '(expires)'
        ],
        covered: []
      }
    })
  })

  it('includes what alsoCovered adds: fields, and the parameters created and expires', async () => {
    const nonce = { lines: { '"x-nonce"': 'n' }, headers: { 'X-Nonce': 'n' } }
    const alsoCovered = ['X-Nonce', '(created)', '(expires)']
    const params = { expires: String(SECONDS) }
    expect((await judgeSigned({ ...nonce, params }, { alsoCovered })).status).toBe('verified')
    for (const recipe of [{ params }, nonce, { ...nonce, params: { ...params, created: undefined } }]) {
      expect(failuresOf(await judgeSigned(recipe, { alsoCovered }))).toEqual([
        'coverage: coverage-insufficient'
      ])
    }
  })
})

describe('the time', () => {
  const withoutDate = { lines: { '"date"': undefined } }

  it('is a covered Date, whatever created says', async () => {
    for (const created of [undefined, String(SECONDS - 299)]) {
      const verdict = await judgeSigned({ params: { created } })
      expect(verdict).toMatchObject({ status: 'verified', date: new Date(NOW) })
    }
  })

  it('is created when Date is not covered, however wrong Date is', async () => {
    for (const date of [undefined, 'yesterday', 'Fri, 20 Nov 2020 12:00:00 GMT']) {
      const recipe = { ...withoutDate, params: { created: String(SECONDS - 100) }, headers: { Date: date } }
      expect(await judgeSigned(recipe)).toMatchObject({ status: 'verified', date: new Date(NOW - 100_000) })
    }
  })

  it('is missing when there is neither', async () => {
    const verdict = await judgeSigned({ ...withoutDate, params: { created: undefined } })
    expect(failuresOf(verdict)).toEqual(['date: date-missing'])
    expect(verdict.checks.date).toMatchObject({
      message: 'there is neither a covered Date nor created'
    })
  })

  it.each([
    ['Fri, 20 Nov 2026 11:54:59 GMT', 'date-too-old'],
    ['Fri, 20 Nov 2026 12:05:01 GMT', 'date-in-future'],
    ['2026-11-20', 'date-malformed']
  ])('a covered Date %s: %s, with a good created', async (date, code) => {
    const recipe = { lines: { '"date"': date }, headers: { Date: date } }
    expect(failuresOf(await judgeSigned(recipe))).toEqual([`date: ${code}`])
  })

  it('a covered Date is one line', async () => {
    const request = signed({ lines: { '"date"': 'a, b' }, headers: { Date: 'a' } })
    request.headers.push(['date', 'b'])
    expect(failuresOf(await judge(request))).toEqual(['date: date-repeated'])
    const absent = await judgeSigned({ headers: { Date: undefined } })
    expect(failuresOf(absent)).toEqual(['date: date-missing', 'coverage: coverage-absent'])
  })

  it.each([
    [{ created: String(SECONDS - 300) }, []],
    [{ created: String(SECONDS + 300) }, []],
    [{ created: String(SECONDS - 301) }, ['signature-header: signature-created-out-of-range']],
    [{ created: String(SECONDS + 301) }, ['signature-header: signature-created-out-of-range']],
    [{ created: '0' }, ['signature-header: signature-created-out-of-range']],
    [{ created: '-1' }, ['signature-header: signature-created-out-of-range']],
    [{ created: '999999999999999' }, ['signature-header: signature-created-out-of-range']],
    [{ expires: String(SECONDS - 300) }, []],
    [{ expires: '999999999999999' }, []],
    [{ expires: String(SECONDS - 301) }, ['signature-header: signature-expired']]
  ])('%j, with a Date and without: %j', async (params, failures) => {
    expect(failuresOf(await judgeSigned({ params }))).toEqual(failures)
    expect(failuresOf(await judgeSigned({ ...withoutDate, params }))).toEqual(failures)
  })

  it('is judged again when the body has arrived', async () => {
    let seconds = SECONDS
    const now = () => seconds * 1000
    const request = signed({ params: { expires: String(SECONDS - 290) } })
    const bytes = Buffer.from(BODY)
    async function* body(delay: number) {
      yield bytes
      seconds += delay
    }
    expect((await judge({ ...request, body: body(10) }, { now })).status).toBe('verified')
    expect(failuresOf(await judge({ ...request, body: body(1) }, { now }))).toEqual([
      'signature-header: signature-expired'
    ])
    seconds = SECONDS
    expect(failuresOf(await judge({ ...request, body: body(11) }, { now }))).toEqual([
      'signature-header: signature-expired'
    ])
  })

  it('is held in a replay store as long as created is recent', async () => {
    const claims: number[] = []
    const replayStore = {
      claim: async (_: string, ttlSeconds: number) => claims.push(ttlSeconds) > 0,
      release: async () => {}
    }
    await judgeSigned({ ...withoutDate, params: { created: String(SECONDS + 200) } }, { replayStore })
    expect(claims).toEqual([502])
  })
})

describe('the headers', () => {
  const headersWithout = (name: string) => signed({ headers: { [name]: undefined } })

  it('are both there', async () => {
    for (const name of ['Signature-Input', 'Signature']) {
      const verdict = await judge(headersWithout(name))
      expect(failuresOf(verdict)).toEqual(['signature-header: signature-missing'])
      expect(verdict.checks['signature-header']).toMatchObject({ message: `there is no ${name} header` })
      expect(verdict.checks.date).toMatchObject({ outcome: 'not-run' })
      expect(verdict.checks.coverage).toMatchObject({ outcome: 'not-run' })
    }
  })

  it('have the same labels: one that is in only one of them is an error', async () => {
    const other = signature({ label: 'other', params: { keyid: '"other.example"' } })
    for (const line of [['signature', other.signature] as const, ['signature-input', other.input] as const]) {
      const request = signed()
      request.headers.unshift([...line])
      const verdict = await judge(request)
      expect(failuresOf(verdict)).toEqual(['signature-header: signature-parameter-missing'])
      expect(verdict.failures[0]?.evidence).toEqual({ parameter: 'other' })
    }
  })

  it('may each have several lines', async () => {
    const request = signed()
    const other = signature({ label: 'other', params: { keyid: '"other.example"' } })
    request.headers.unshift(['signature-input', other.input], ['signature', other.signature])
    expect((await judge(request)).status).toBe('verified')
  })

  it.each([
    ['Signature-Input', 'sig1=', 'signature-malformed'],
    ['Signature-Input', '', 'signature-malformed'],
    ['Signature-Input', 'sig1=();keyid="a";keyid="b"', 'signature-parameter-repeated'],
    ['Signature-Input', 'sig1=()', 'signature-parameter-missing'],
    ['Signature-Input', `sig2=();keyid="${KEY_ID.rsa}"`, 'signature-parameter-missing'],
    ['Signature-Input', `sig1=();keyid="${KEY_ID.rsa}";alg="hmac-sha256"`, 'signature-algorithm-not-allowed'],
    [
      'Signature-Input',
      `sig1=();keyid="${KEY_ID.rsa}";alg="ecdsa-p256-sha256"`,
      'signature-algorithm-not-allowed'
    ],
    ['Signature-Input', `sig1=();keyid="${KEY_ID.rsa}";alg="rsa-sha256"`, 'signature-algorithm-not-allowed'],
    [
      'Signature-Input',
      `sig1=();keyid="${KEY_ID.rsa}";alg="RSA-V1_5-SHA256"`,
      'signature-algorithm-not-allowed'
    ],
    ['Signature-Input', `sig1=();keyid="${KEY_ID.rsa}";alg=""`, 'signature-algorithm-not-allowed'],
    ['Signature', 'sig1', 'signature-malformed'],
    ['Signature', 'sig1=:AA:', 'signature-not-base64'],
    ['Signature', 'sig1=::', 'signature-not-base64'],
    ['Signature', 'sig1=:AA==:, sig1=:AA==:', 'signature-parameter-repeated'],
    ['Signature', 'Sig1=:AA==:', 'signature-malformed'],
    ['Signature', '', 'signature-parameter-missing']
  ])('%s: %s: %s', async (name, value, code) => {
    const verdict = await judge(signed({ headers: { [name]: value } }))
    expect(verdict.checks['signature-header']).toMatchObject({ outcome: 'fail', code })
  })

  it.each([
    ['sig1=()', { parameter: 'keyid' }],
    [`sig2=();keyid="${KEY_ID.rsa}"`, { parameter: 'sig2' }],
    [
      `sig1=();keyid="${KEY_ID.rsa}";alg="RSA-V1_5-SHA256"`,
      { received: 'RSA-V1_5-SHA256', allowed: ['rsa-pss-sha512', 'rsa-v1_5-sha256'] }
    ]
  ])('Signature-Input: %s: the evidence is %j', async (value, evidence) => {
    const algorithms = ['rsa-pss-sha512', 'rsa-v1_5-sha256'] as const
    const verdict = await judge(signed({ headers: { 'Signature-Input': value } }), { algorithms })
    expect(verdict.checks['signature-header']).toMatchObject({ evidence })
  })

  it('show where they are malformed', async () => {
    const verdict = await judge(
      signed({ headers: { 'Signature-Input': `sig1=();keyid="${KEY_ID.rsa}";nonce=x` } })
    )
    expect(verdict.checks['signature-header']).toMatchObject({
      evidence: { position: 0, reason: 'nonce is not of type string', excerpt: 'sig1=();keyid="rsa._' }
    })
    const status = await judge(
      signed({ headers: { 'Signature-Input': `sig1=("@method" "@status");keyid="${KEY_ID.rsa}"` } })
    )
    expect(status.checks['signature-header']).toMatchObject({
      code: 'signature-malformed',
      evidence: {
        position: 16,
        reason: 'a request has no @status',
        excerpt: 'sig1=("@method" "@status");keyid="rs'
      }
    })
  })

  it('must not list a component twice, or one that is not in the request', async () => {
    const twice = signature({ lines: { '"date"': undefined } }).input.replace('(', '("@method" ')
    expect(failuresOf(await judge(signed({ headers: { 'Signature-Input': twice } })))).toEqual([
      'coverage: coverage-repeated'
    ])
    const reordered = { '"x";sf;key="a"': '1', '"x";key="a";sf': '1' }
    expect(failuresOf(await judgeSigned({ lines: reordered, headers: { X: 'a=1' } }))).toEqual([
      'coverage: coverage-repeated'
    ])
    expect(failuresOf(await judgeSigned({ lines: { '"x"': '' } }))).toEqual(['coverage: coverage-absent'])
  })
})

describe('several signatures', () => {
  const foreign = signature({ label: 'proxy', params: { keyid: '"proxy.example"' } })
  const withOthers = (...others: { input: string; signature: string }[]): ReceivedRequest => {
    const own = signature()
    return signed({
      headers: {
        'Signature-Input': [...others, own].map(signed => signed.input).join(', '),
        Signature: [...others, own].map(signed => signed.signature).join(', ')
      }
    })
  }

  it('the one whose keyid is under the domain of the service is judged', async () => {
    expect(await judge(withOthers(foreign))).toMatchObject({ status: 'verified', keyId: KEY_ID.rsa })
    for (const keyid of [
      '"service.example"',
      '"evilservice.example"',
      '"a.service.example.evil"',
      undefined
    ]) {
      const other = signature({ label: 'other', params: { keyid } })
      expect((await judge(withOthers(other))).status).toBe('verified')
    }
  })

  it('it does not matter what others cover', async () => {
    const responses = { input: 'proxy=("@status" "x";req);keyid="proxy.example"', signature: 'proxy=:AA==:' }
    expect((await judge(withOthers(responses))).status).toBe('verified')
  })

  it('two of the service are refused', async () => {
    const other = signature({ label: 'sig2', algorithm: 'ed25519' })
    const verdict = await judge(withOthers(other))
    expect(failuresOf(verdict)).toEqual(['signature-header: signature-repeated'])
    expect(verdict.checks['signature-header']).toMatchObject({
      message: 'more than one signature is made with a key of the service'
    })
    const unknown = { input: 'x=();keyid="NO.service.example."', signature: 'x=:AA==:' }
    expect(failuresOf(await judge(withOthers(unknown)))).toEqual(['signature-header: signature-repeated'])
  })

  it('without one of the service, the request is refused by the key name', async () => {
    const one = signed({ params: { keyid: '"evil.example"' } })
    expect(failuresOf(await judge(one))).toEqual(['key-name: key-name-outside-domain'])
    const request = signed({
      headers: {
        'Signature-Input': `${foreign.input}, sig2=();keyid="evil.example"`,
        Signature: `${foreign.signature}, sig2=:AA==:`
      }
    })
    expect(failuresOf(await judge(request))).toEqual(['key-name: key-name-outside-domain'])
    expect(failuresOf(await judgeSigned({ params: { keyid: '"a\\"b.service.example"' } }))).toEqual([
      'key-name: key-name-malformed'
    ])
  })

  it('a signature is found only by its own label', async () => {
    const own = signature()
    const swapped = signed({
      headers: {
        'Signature-Input': `${own.input}, a=();keyid="other.example"`,
        Signature: `a=${own.signature.slice('sig1='.length)}, sig1=:AA==:`
      }
    })
    expect(failuresOf(await judge(swapped))).toEqual(['signature: signature-mismatch'])
  })
})

describe('the key', () => {
  it('fits the algorithm that is named', async () => {
    const records = (name: string) => async () => RECORDS[name]!
    expect(failuresOf(await judgeSigned({}, { lookupTxt: records(KEY_ID.ed25519) }))).toEqual([
      'key: key-type-mismatch'
    ])
    const ed25519 = await judgeSigned({ algorithm: 'ed25519' }, { lookupTxt: records(KEY_ID.rsa) })
    expect(failuresOf(ed25519)).toEqual(['key: key-type-mismatch'])
  })

  it('is used with the algorithm that is named, and no other', async () => {
    const named = (algorithm: string) =>
      judgeSigned({ algorithm: 'rsa-v1_5-sha256', params: { alg: `"${algorithm}"` } })
    expect(failuresOf(await named('rsa-pss-sha512'))).toEqual(['signature: signature-mismatch'])
  })

  it.each([
    ['rsa-v1_5-sha256', 'h=sha256', true],
    ['rsa-v1_5-sha256', 'h=sha512', false],
    ['rsa-pss-sha512', 'h=sha512', true],
    ['rsa-pss-sha512', 'h=sha256', false],
    ['ed25519', 'h=sha256', true]
  ] as const)('%s and %s: %j', async (algorithm, hashes, fits) => {
    const lookupTxt = async (name: string) =>
      RECORDS[name]!.map(chunks => [chunks.join('').replace('; k=', `; ${hashes}; k=`)])
    const verdict = await judgeSigned({ algorithm }, { lookupTxt })
    expect(failuresOf(verdict)).toEqual(fits ? [] : ['key: key-hash-not-allowed'])
  })

  it('is asked for only when the head is good', async () => {
    const lookupTxt = vi.fn(OPTIONS.lookupTxt)
    await judgeSigned({ lines: { '"@method"': undefined } }, { lookupTxt })
    await judgeSigned({ headers: { 'Content-Digest': undefined } }, { lookupTxt })
    expect(lookupTxt).not.toHaveBeenCalled()
  })
})

describe('what was signed is what was received', () => {
  it.each([
    ['method', (request: ReceivedRequest) => ({ ...request, method: 'post' })],
    ['target', (request: ReceivedRequest) => ({ ...request, target: '/hook?id=43' })],
    ['query', (request: ReceivedRequest) => ({ ...request, target: '/hook?id=42&' })],
    ['path', (request: ReceivedRequest) => ({ ...request, target: '//hook?id=42' })],
    [
      'form of the target',
      (request: ReceivedRequest) => ({ ...request, target: `https://${HOST}/hook?id=42` })
    ]
  ])('the %s', async (_, change) => {
    expect(failuresOf(await judge(change(signed())))).toEqual(['signature: signature-mismatch'])
  })

  it('the authority, also of another of our hosts', async () => {
    const verdict = await judge(signed({ headers: { Host: 'other.example' } }), {
      hosts: [HOST, 'other.example']
    })
    expect(failuresOf(verdict)).toEqual(['signature: signature-mismatch'])
  })

  it('not an absolute request-target for another host under a Host of ours', async () => {
    const target = 'https://other.example/hook?id=42'
    const lines = { '"@request-target"': target, '"@authority"': 'other.example' }
    expect(failuresOf(await judge({ ...signed({ lines }), target }))).toEqual(['coverage: coverage-absent'])
  })

  it('the account, also of another of ours', async () => {
    const verdict = await judge(signed({ headers: { 'X-Service-ID': 'account-99' } }), {
      accounts: ['99', '1234']
    })
    expect(failuresOf(verdict)).toEqual(['signature: signature-mismatch'])
  })

  it('every parameter of the signature, known or not', async () => {
    const params = { nonce: '"n"', tag: '"t"', mine: '?0', expires: String(SECONDS + 9) }
    const request = signed({ params })
    expect(await judge(request)).toMatchObject({ status: 'verified', nonce: 'n' })
    for (const [from, to] of [
      ['"n"', '"m"'],
      ['"t"', '"u"'],
      ['mine=?0', 'mine'],
      [`expires=${SECONDS + 9}`, `expires=${SECONDS + 10}`],
      [`created=${SECONDS}`, `created=${SECONDS + 1}`],
      [';tag="t"', '']
    ]) {
      const headers = request.headers.map(([name, value]): Line => [name, value.replace(from!, to!)])
      expect(headers).not.toEqual(request.headers)
      expect(failuresOf(await judge({ ...request, headers }))).toEqual(['signature: signature-mismatch'])
    }
  })

  it('the body', async () => {
    const verdict = await judge({ ...signed(), body: `${BODY}\n` })
    expect(failuresOf(verdict)).toEqual(['digest: digest-mismatch'])
    expect(verdict.checks.digest).toMatchObject({ evidence: { reencoding: 'newline-added' } })
  })
})

describe('Content-Digest', () => {
  const withDigest = (value: string) => ({
    lines: { '"content-digest"': value },
    headers: { 'Content-Digest': value }
  })

  it.each([
    contentDigest(BODY, 'sha512'),
    `${contentDigest(BODY)}, ${contentDigest(BODY, 'sha512')}`,
    `md5=:AAAA:, ${contentDigest(BODY)}`
  ])('may be %s', async value => {
    expect((await judgeSigned(withDigest(value))).status).toBe('verified')
  })

  it.each([
    [`${contentDigest(BODY)}, ${contentDigest('other', 'sha512')}`, 'digest-mismatch'],
    [contentDigest('other'), 'digest-mismatch'],
    ['md5=:AAAA:', 'digest-unsupported'],
    [contentDigest(BODY).replace('sha-256', 'sha'), 'digest-unsupported'],
    ['', 'digest-unsupported'],
    [contentDigest(BODY).toUpperCase(), 'digest-malformed'],
    [`${contentDigest(BODY)}, ${contentDigest(BODY)}`, 'digest-malformed']
  ])('may not be %s: %s', async (value, code) => {
    expect(failuresOf(await judgeSigned(withDigest(value)))).toEqual([`digest: ${code}`])
  })

  it('is not replaced by Digest, which is ignored', async () => {
    const digest = `SHA-256=${contentDigest(BODY).slice('sha-256=:'.length, -1)}`
    const missing = await judgeSigned({ headers: { Digest: digest, 'Content-Digest': undefined } })
    expect(missing.checks.digest).toMatchObject({
      code: 'digest-missing',
      message: 'there is no Content-Digest header'
    })
    expect((await judgeSigned({ headers: { Digest: 'SHA-256=wrong' } })).status).toBe('verified')
  })
})

describe('the nonce', () => {
  const covered = { lines: { '"x-nonce"': 'x' }, headers: { 'X-Nonce': 'x' } }
  it.each<[string, Recipe, string | undefined]>([
    ['is the parameter of the signature', { params: { nonce: '"n"' }, headers: { 'X-Nonce': 'x' } }, 'n'],
    ['goes before a covered X-Nonce', { ...covered, params: { nonce: '"n"' } }, 'n'],
    ['is else a covered X-Nonce', covered, 'x'],
    ['is never an X-Nonce that is not covered', { headers: { 'X-Nonce': 'x' } }, undefined]
  ])('%s', async (_, recipe, nonce) => {
    expect(await judgeSigned(recipe)).toMatchObject({ status: 'verified', nonce })
  })
})

describe('the choice between the schemes', () => {
  const service = createTestService({ rsaBits: 1024 })
  const verify = (options: Partial<VerifierOptions>) => createVerifier({ ...service.options, ...options })
  const draft = service.sign({ body: BODY })
  const standard = service.sign({ body: BODY, scheme: 'rfc9421' })
  const headersOf = (request: ReceivedRequest) => [...(request.headers as Iterable<Line>)]

  it('is by Signature-Input, where both are allowed', async () => {
    expect(await verify(BOTH)(draft)).toMatchObject({ status: 'verified', scheme: 'draft-cavage' })
    expect(await verify(BOTH)(standard)).toMatchObject({ status: 'verified', scheme: 'rfc9421' })
  })

  it('a request with Signature-Input is judged by RFC 9421 and nothing else', async () => {
    const both = { ...draft, headers: [...headersOf(draft), ['Signature-Input', 'sig1=()'] as Line] }
    expect(failuresOf(await verify(BOTH)(both))).toContain('signature-header: signature-malformed')
    // by default the header means nothing
    expect((await verify({})(both)).status).toBe('verified')
  })

  it('one without it is judged by the draft, and by nothing when that is not allowed', async () => {
    const stripped = {
      ...standard,
      headers: headersOf(standard).filter(([name]) => name !== 'Signature-Input')
    }
    expect(failuresOf(await verify(BOTH)(stripped))).toContain('signature-header: signature-malformed')
    const only = await verify({ schemes: [rfc9421] })(draft)
    expect(failuresOf(only)).toContain('signature-header: signature-missing')
  })

  it('is only the draft by default', async () => {
    const verdict = await verify({})(standard)
    expect(failuresOf(verdict)).toEqual(['signature-header: signature-malformed', 'digest: digest-missing'])
  })

  it('a replay store recognizes a signature whatever else is changed', async () => {
    const replaying = verify({ ...BOTH, replayStore: memoryReplayStore() })
    expect((await replaying(standard)).status).toBe('verified')
    const respelt = headersOf(standard).map(([name, value]): Line => [name, value.replace('" "', '"  "')])
    expect(respelt).not.toEqual(standard.headers)
    expect(failuresOf(await replaying({ ...standard, headers: respelt }))).toEqual(['replay: replayed'])
  })

  it('each uses its own algorithms of the list', async () => {
    const mixed = verify({ ...BOTH, algorithms: ['rsa-sha256', 'rsa-pss-sha512', 'hs2019'] })
    expect((await mixed(draft)).status).toBe('verified')
    expect(await mixed(standard)).toMatchObject({
      checks: {
        'signature-header': {
          code: 'signature-algorithm-not-allowed',
          evidence: { allowed: ['rsa-pss-sha512'] }
        }
      }
    })
  })
})

describe('options', () => {
  const create = (options: object) => () => createVerifier({ ...OPTIONS, ...options } as VerifierOptions)

  it.each([
    ['an empty array', []],
    ['"rfc9421"', 'rfc9421'],
    ['["rfc9421", "rfc9421bis"]', ['rfc9421', 'rfc9421bis']],
    ['[null]', [null]],
    ['["toString"]', ['toString']],
    ['[an object]', [{ name: 'rfc9421' }]]
  ])('schemes cannot be %s', (received, schemes) => {
    expect(create({ schemes })).toThrow(TypeError)
    expect(create({ schemes })).toThrow(`schemes is ${received}: pass an array of schemes`)
  })

  it('a name in schemes is answered with what to import', () => {
    expect(create({ schemes: ['rfc9421'] })).toThrow(
      'schemes is ["rfc9421"]: pass an array of schemes, such as [draftCavage], with import { draftCavage }'
    )
    expect(create({ schemes: 'draft-cavage' })).toThrow("import { rfc9421 } from 'signed-requests/rfc9421'")
  })

  it.each([
    [
      [rfc9421],
      ['rsa-sha256'],
      'which allows none of rfc9421: add one of rsa-v1_5-sha256, rsa-pss-sha512, ed25519'
    ],
    [
      [draftCavage],
      ['rsa-pss-sha512'],
      'which allows none of draft-cavage: add one of rsa-sha256, rsa-sha512, hs2019, ed25519'
    ],
    [[draftCavage, rfc9421], ['hs2019'], 'which allows none of rfc9421: add one of'],
    [[draftCavage, rfc9421], [], 'which allows none of draft-cavage'],
    [
      [rfc9421],
      ['ecdsa-p256-sha256'],
      'algorithms has "ecdsa-p256-sha256": it must be one of rsa-sha256, rsa-sha512, hs2019, ed25519, rsa-v1_5-sha256, rsa-pss-sha512'
    ],
    [[rfc9421], 'ed25519', 'pass an array of']
  ])('schemes and algorithms must fit: %#', (schemes, algorithms, message) => {
    expect(create({ schemes, algorithms })).toThrow(TypeError)
    expect(create({ schemes, algorithms })).toThrow(message)
  })

  it('ed25519 belongs to both', () => {
    expect(create({ ...BOTH, algorithms: ['ed25519'] })).not.toThrow()
  })
})
