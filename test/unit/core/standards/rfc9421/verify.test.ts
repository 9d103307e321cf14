import { describe, expect, test } from 'vitest'
import { draftCavage } from '../../../../../src/core/standards/draft-cavage/scheme.ts'
import { createVerifier, type ReceivedRequest, type Verdict, type VerifierOptions } from '../../../../../src/index.ts'
import { memoryReplayStore } from '../../../../../src/replay/index.ts'
import { rfc9421 } from '../../../../../src/rfc9421/index.ts'
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
} from '../../../../support/rfc9421.ts'
import { linesOf, service } from '../../../../support/service.ts'
import { failuresOf } from '../../../../support/verdicts.ts'

const judge = (request: ReceivedRequest, options: Partial<VerifierOptions> = {}): Promise<Verdict> =>
  createVerifier({ ...OPTIONS, ...options })(request)

const judgeSigned = (recipe: Recipe, options: Partial<VerifierOptions> = {}): Promise<Verdict> =>
  judge(signed(recipe), options)

/** Returns the failures of a request. */
const failuresFor = async (recipe: Recipe, options: Partial<VerifierOptions> = {}): Promise<string[]> =>
  failuresOf(await judgeSigned(recipe, options))

const BOTH = { schemes: [draftCavage, rfc9421] }

const without = (...identifiers: string[]) => Object.fromEntries(identifiers.map(each => [each, undefined]))

describe('a request signed by RFC 9421', () => {
  test('a request signed by RFC 9421 is verified, with everything the receiver needs', async () => {
    expect(await judge(signed())).toEqual({
      status: 'verified',
      failures: [],
      scheme: 'rfc9421',
      accountId: '1234',
      keyId: KEY_ID.rsa,
      algorithm: 'rsa-v1_5-sha256',
      date: new Date(NOW),
      coveredHeaders: ['@method', '@request-target', '@authority', 'x-service-id', 'content-digest', 'date'],
      coveredValues: {
        'x-service-id': 'account-1234',
        'content-digest': contentDigest(BODY),
        date: 'Fri, 20 Nov 2026 12:00:00 GMT'
      },
      nonce: undefined,
      body: new TextEncoder().encode(BODY),
      replayId: undefined,
      checks: expect.objectContaining({ signature: { outcome: 'pass' }, digest: { outcome: 'pass' } })
    })
  })

  test('a signature by RFC 9421 without alg takes the first allowed algorithm that fits the key', async () => {
    const pss: Recipe = { algorithm: 'rsa-pss-sha512', params: { alg: undefined } }
    expect(await failuresFor(pss)).toEqual(['signature: signature-mismatch'])
    expect(await failuresFor(pss, { algorithms: ['ed25519', 'rsa-pss-sha512', 'rsa-v1_5-sha256'] })).toEqual([])
    expect(await failuresFor(pss, { algorithms: ['ed25519'] })).toEqual(['key: key-type-mismatch'])
  })

  test('covers Host, the account header and the digest as they are, or wrapped by bs', async () => {
    const wrap = (value: string) => `:${Buffer.from(value).toString('base64')}:`
    const lines = {
      ...without('"@authority"', '"x-service-id"', '"content-digest"', '"date"'),
      '"host"': HOST,
      '"x-service-id";bs': wrap('account-1234'),
      '"content-digest";bs': wrap(contentDigest(BODY)),
      '"date";bs': wrap('Fri, 20 Nov 2026 12:00:00 GMT')
    }
    const coveredHeaders = expect.arrayContaining(['host', 'x-service-id;bs', 'content-digest;bs', 'date;bs'])
    const verdict = await judgeSigned({ lines, params: { created: undefined } })
    expect(verdict).toMatchObject({ status: 'verified', coveredHeaders })
  })
})

describe('what must be covered', () => {
  const WITHOUT = { '"@authority"': undefined, '"@request-target"': undefined }
  const URI = { '"@target-uri"': `https://${HOST}/hook?id=42` }

  test('@target-uri covers the target and the authority', async () => {
    expect(await failuresFor({ lines: { ...WITHOUT, ...URI } })).toEqual([])
    expect(await failuresFor({ lines: { '"@authority"': undefined, ...URI } })).toEqual([])
    expect(await failuresFor({ lines: { '"@request-target"': undefined, ...URI } })).toEqual([])
  })

  test.each([
    ['the scheme for the authority', { '"@authority"': undefined, '"@scheme"': 'https' }],
    ['the path for the target URI', { ...WITHOUT, '"@path"': '/hook' }],
    ['the account by sf', { '"x-service-id"': undefined, '"x-service-id";sf': 'account-1234' }]
  ])('coverage by RFC 9421 is insufficient with %s', async (_, lines) => {
    expect(await failuresFor({ lines })).toEqual(['coverage: coverage-insufficient'])
  })

  test('lists everything that is missing', async () => {
    const needed = '@method @request-target @authority x-service-id content-digest'.split(' ')
    const lines = without('"date"', ...needed.map(name => `"${name}"`))
    const verdict = await judgeSigned({ lines }, { alsoCovered: ['X-Nonce', 'host', '(expires)', 'Content-Digest'] })
    const evidence = { missing: [...needed, 'x-nonce', 'host', '(expires)'], covered: [] }
    expect(verdict.checks.coverage).toMatchObject({ code: 'coverage-insufficient', evidence })
  })
})

describe('the time', () => {
  test('a covered Date is one line', async () => {
    const request = signed({ lines: { '"date"': 'a, b' }, headers: { Date: 'a' } })
    request.headers.push(['date', 'b'])
    expect(failuresOf(await judge(request))).toEqual(['date: date-repeated'])
    const absent = await failuresFor({ headers: { Date: undefined } })
    expect(absent).toEqual(['date: date-missing', 'coverage: coverage-absent'])
  })

  test('the time of a request by RFC 9421 is a covered Date or created', async () => {
    const verdict = await judgeSigned({ lines: without('"date"'), params: { created: undefined } })
    const evidence = { reason: 'neither a covered Date nor created' }
    expect(verdict.checks.date).toMatchObject({ code: 'date-missing', evidence })
  })

  test('the time of a request by RFC 9421 is judged again when the body has arrived', async () => {
    let seconds = SECONDS
    const now = () => seconds * 1000
    const request = signed({ params: { expires: String(SECONDS - 290) } })
    async function* body(delay: number) {
      yield Buffer.from(BODY)
      seconds += delay
    }
    const failuresAfter = async (delay: number) => failuresOf(await judge({ ...request, body: body(delay) }, { now }))
    expect(await failuresAfter(10)).toEqual([])
    expect(await failuresAfter(1)).toEqual(['signature-header: signature-expired'])
    seconds = SECONDS
    expect(await failuresAfter(11)).toEqual(['signature-header: signature-expired'])
  })

  test('an id by RFC 9421 is held in a replay store as long as created is recent', async () => {
    const claims: number[] = []
    const replayStore = {
      claim: async (_: string, _token: string, ttlSeconds: number) => claims.push(ttlSeconds) > 0,
      release: async () => {}
    }
    await judgeSigned({ lines: without('"date"'), params: { created: String(SECONDS + 200) } }, { replayStore })
    expect(claims).toEqual([502])
  })
})

describe('the headers', () => {
  test.each([
    ['Signature-Input', { code: 'signature-missing', evidence: { header: 'Signature-Input' } }],
    ['Signature', { code: 'signature-missing' }]
  ])('both headers of RFC 9421 must be there: without %s nothing that needs it is run', async (name, failure) => {
    const { checks, ...verdict } = await judgeSigned({ headers: { [name]: undefined } })
    expect(verdict.failures).toMatchObject([{ check: 'signature-header', ...failure }])
    expect([checks.date.outcome, checks.coverage.outcome]).toEqual(['not-run', 'not-run'])
  })

  test('a request by RFC 9421 needs a digest', async () => {
    const { checks } = await judgeSigned({ headers: { 'Content-Digest': undefined } })
    expect(checks.digest).toMatchObject({ code: 'digest-missing', evidence: { header: 'Content-Digest' } })
  })

  test('a covered Content-Length says of what length the body was, also where it is covered as bytes', async () => {
    const changed = { headers: { 'Content-Length': '15' }, body: '{"id":1}\n' }
    for (const [name, value] of [
      ['"content-length"', '15'],
      ['"content-length";bs', ':MTU=:']
    ] as const) {
      const { checks } = await judge({
        ...signed({ lines: { [name]: value }, headers: changed.headers }),
        body: changed.body
      })
      expect([name, checks.digest]).toMatchObject([name, { evidence: { contentLength: 15 } }])
    }
  })

  test('both headers of RFC 9421 have the same labels: one that is in only one of them is an error', async () => {
    const other = signature({ label: 'other', params: { keyid: '"other.example"' } })
    for (const line of [['signature', other.signature] as const, ['signature-input', other.input] as const]) {
      const request = signed()
      request.headers.unshift([...line])
      const verdict = await judge(request)
      expect(failuresOf(verdict)).toEqual(['signature-header: signature-parameter-missing'])
      expect(verdict.failures[0]?.evidence).toEqual({ parameter: 'other' })
    }
  })

  const BY_KEY = `keyid="${KEY_ID.rsa}"`
  const algorithms = ['rsa-pss-sha512', 'rsa-v1_5-sha256'] as const
  const at = (position: number, reason: string, excerpt: string) => ({ position, reason, excerpt })
  test.each([
    ['sig1=()', { parameter: 'keyid' }],
    [`sig2=();${BY_KEY}`, { parameter: 'sig2' }],
    [`sig1=();${BY_KEY};alg="RSA-V1_5-SHA256"`, { received: 'RSA-V1_5-SHA256', allowed: algorithms }],
    [`sig1=();${BY_KEY};nonce=x`, at(0, 'nonce is not of type string', 'sig1=();keyid="rsa._')],
    [`sig1=("@method" "@status");${BY_KEY}`, at(16, 'a request has no @status', 'sig1=("@method" "@status");keyid="rs')]
  ])('Signature-Input: %s: the evidence is %j', async (value, evidence) => {
    const verdict = await judgeSigned({ headers: { 'Signature-Input': value } }, { algorithms })
    expect(verdict.checks['signature-header']).toMatchObject({ evidence })
  })
})

describe('several signatures', () => {
  const withOthers = (...others: { input: string; signature: string }[]): ReceivedRequest => {
    const all = [...others, signature()]
    const [inputs, signatures] = [all.map(each => each.input), all.map(each => each.signature)]
    return signed({ headers: { 'Signature-Input': inputs.join(', '), Signature: signatures.join(', ') } })
  }

  test('signatures of others do not matter, whatever they cover', async () => {
    const responses = { input: 'proxy=("@status" "x";req);keyid="proxy.example"', signature: 'proxy=:AA==:' }
    expect((await judge(withOthers(responses))).status).toBe('verified')
  })

  test('two of the service are refused', async () => {
    const verdict = await judge(withOthers(signature({ label: 'sig2', algorithm: 'ed25519' })))
    expect(failuresOf(verdict)).toEqual(['signature-header: signature-repeated'])
    const evidence = { reason: 'more than one is made with a key of the service' }
    expect(verdict.checks['signature-header']).toMatchObject({ evidence })
    const unknown = { input: 'x=();keyid="NO.service.example."', signature: 'x=:AA==:' }
    expect(failuresOf(await judge(withOthers(unknown)))).toEqual(['signature-header: signature-repeated'])
  })
})

describe('the key', () => {
  test.each([
    ['rsa-v1_5-sha256', 'h=sha256', true],
    ['rsa-v1_5-sha256', 'h=sha512', false],
    ['rsa-pss-sha512', 'h=sha512', true],
    ['rsa-pss-sha512', 'h=sha256', false],
    ['ed25519', 'h=sha256', true]
  ] as const)(
    'by RFC 9421 the record must allow the hash of the algorithm: %s and %s: %j',
    async (algorithm, hashes, fits) => {
      const lookupTxt = async (name: string) =>
        RECORDS[name]!.map(chunks => [chunks.join('').replace('; k=', `; ${hashes}; k=`)])
      expect(await failuresFor({ algorithm }, { lookupTxt })).toEqual(fits ? [] : ['key: key-hash-not-allowed'])
    }
  )
})

describe('the nonce', () => {
  const covered = { lines: { '"x-nonce"': 'x' }, headers: { 'X-Nonce': 'x' } }
  test.each<[string, Recipe, string | undefined]>([
    ['is the parameter of the signature', { params: { nonce: '"n"' }, headers: { 'X-Nonce': 'x' } }, 'n'],
    [
      'is an X-Nonce that is covered as bytes',
      { lines: { '"x-nonce";bs': ':eA==:' }, headers: { 'X-Nonce': 'x' } },
      'x'
    ],
    ['goes before a covered X-Nonce', { ...covered, params: { nonce: '"n"' } }, 'n'],
    ['is else a covered X-Nonce', covered, 'x'],
    ['is never an X-Nonce that is not covered', { headers: { 'X-Nonce': 'x' } }, undefined]
  ])('the nonce by RFC 9421 %s', async (_, recipe, nonce) =>
    expect(await judgeSigned(recipe)).toMatchObject({ status: 'verified', nonce })
  )
})

describe('the choice between the schemes', () => {
  const verify = (options: Partial<VerifierOptions>) => createVerifier({ ...service.options, ...options })
  const draft = service.sign({ body: BODY })
  const standard = service.sign({ body: BODY, scheme: 'rfc9421' })

  test('a replay store recognizes a signature whatever else is changed', async () => {
    const replaying = verify({ ...BOTH, replayStore: memoryReplayStore() })
    expect((await replaying(standard)).status).toBe('verified')
    const respelt = linesOf(standard).map(([name, value]): Line => [name, value.replace('" "', '"  "')])
    expect(respelt).not.toEqual(standard.headers)
    expect(failuresOf(await replaying({ ...standard, headers: respelt }))).toEqual(['replay: replayed'])
  })

  test('each scheme uses its own algorithms of the list', async () => {
    const mixed = verify({ ...BOTH, algorithms: ['rsa-sha256', 'rsa-pss-sha512', 'hs2019'] })
    expect((await mixed(draft)).status).toBe('verified')
    const failure = { code: 'signature-algorithm-not-allowed', evidence: { allowed: ['rsa-pss-sha512'] } }
    expect((await mixed(standard)).checks['signature-header']).toMatchObject(failure)
  })
})

describe('options', () => {
  const create = (options: object) => () => createVerifier({ ...OPTIONS, ...options } as VerifierOptions)

  test.each([
    ['an empty array', []],
    ['a string', 'rfc9421'],
    ['[a string, a string]', ['rfc9421', 'rfc9421bis']],
    ['[null]', [null]],
    ['[a string]', ['toString']],
    ['[an object]', [{ name: 'rfc9421' }]]
  ])('schemes cannot be %s', (received, schemes) => {
    expect(create({ schemes })).toThrow(TypeError)
    expect(create({ schemes })).toThrow(`schemes is ${received}: pass an array of schemes`)
  })

  test('a name in schemes is answered with what to import', () => {
    expect(create({ schemes: ['rfc9421'] })).toThrow(
      'schemes is [a string]: pass an array of schemes, such as [draftCavage], with import { draftCavage }'
    )
    expect(create({ schemes: 'draft-cavage' })).toThrow("import { rfc9421 } from 'signed-requests/rfc9421'")
  })

  const OF_DRAFT = 'rsa-sha256, rsa-sha512, hs2019, ed25519'
  const none = (scheme: string, add: string) => `it has no algorithm of ${scheme}, so add one of ${add}`
  const one = { schemes: [rfc9421] }
  const draft = { schemes: [draftCavage] }
  test.each([
    [{ ...one, algorithms: ['rsa-sha256'] }, none('rfc9421', 'rsa-v1_5-sha256, rsa-pss-sha512, ed25519')],
    [{ ...draft, algorithms: ['rsa-pss-sha512'] }, none('draft-cavage', OF_DRAFT)],
    [{ ...BOTH, algorithms: ['hs2019'] }, none('rfc9421', '')],
    [{ ...BOTH, algorithms: [] }, none('draft-cavage', '')],
    [
      { ...one, algorithms: ['ecdsa-p256-sha256'] },
      `algorithms has "ecdsa-p256-sha256": it must be one of ${OF_DRAFT}, rsa-v1_5-sha256, rsa-pss-sha512`
    ],
    [{ ...one, algorithms: 'ed25519' }, 'pass an array of']
  ])('schemes and algorithms must fit: %#', (options, message) => {
    expect(create(options)).toThrow(TypeError)
    expect(create(options)).toThrow(message)
  })

  test('ed25519 belongs to both', () => expect(create({ ...BOTH, algorithms: ['ed25519'] })).not.toThrow())
})
