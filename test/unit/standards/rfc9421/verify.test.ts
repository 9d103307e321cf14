import { describe, expect, test } from 'vitest'
import { createVerifier, type ReceivedRequest, type Verdict, type VerifierOptions } from '../../../../src/index.ts'
import { memoryReplayStore } from '../../../../src/replay/index.ts'
import { draftCavage } from '../../../../src/standards/draft-cavage/scheme.ts'
import { rfc9421 } from '../../../../src/standards/rfc9421/index.ts'
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
} from '../../../support/rfc9421.ts'
import { service } from '../../../support/service.ts'
import { failuresOf } from '../../../support/verdicts.ts'

const judge = (request: ReceivedRequest, options: Partial<VerifierOptions> = {}): Promise<Verdict> =>
  createVerifier({ ...OPTIONS, ...options })(request)

const judgeSigned = (recipe: Recipe, options: Partial<VerifierOptions> = {}): Promise<Verdict> =>
  judge(signed(recipe), options)

const BOTH = { schemes: [draftCavage, rfc9421] }

describe('a request signed by RFC 9421', () => {
  test('is verified, with everything the receiver needs', async () => {
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

  test('without alg takes the first allowed algorithm that fits the key', async () => {
    const pss = signed({ algorithm: 'rsa-pss-sha512', params: { alg: undefined } })
    expect(failuresOf(await judge(pss))).toEqual(['signature: signature-mismatch'])
    const algorithms = ['ed25519', 'rsa-pss-sha512', 'rsa-v1_5-sha256'] as const
    expect((await judge(pss, { algorithms })).status).toBe('verified')
    const onlyEd = await judge(pss, { algorithms: ['ed25519'] })
    expect(failuresOf(onlyEd)).toEqual(['key: key-type-mismatch'])
  })

  test('covers Host, the account header and the digest as they are, or wrapped by bs', async () => {
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
})

describe('what must be covered', () => {
  test.each([
    ['"@target-uri" for the authority', { '"@authority"': undefined, '"@target-uri"': `https://${HOST}/hook?id=42` }],
    ['the account by sf', { '"x-service-id"': undefined, '"x-service-id";sf': 'account-1234' }]
  ])('is not covered by %s', async (_, lines) => {
    expect(failuresOf(await judgeSigned({ lines }))).toEqual(['coverage: coverage-insufficient'])
  })

  test('lists everything that is missing', async () => {
    const lines = Object.fromEntries(
      ['"@method"', '"@request-target"', '"@authority"', '"x-service-id"', '"content-digest"', '"date"'].map(name => [
        name,
        undefined
      ])
    )
    const verdict = await judgeSigned({ lines }, { alsoCovered: ['X-Nonce', 'host', '(expires)', 'Content-Digest'] })
    expect(verdict.checks.coverage).toMatchObject({
      code: 'coverage-insufficient',
      evidence: {
        missing: '@method @request-target @authority x-service-id content-digest x-nonce host (expires)'.split(' '),
        covered: []
      }
    })
  })
})

describe('the time', () => {
  const withoutDate = { lines: { '"date"': undefined } }

  test('a covered Date is one line', async () => {
    const request = signed({ lines: { '"date"': 'a, b' }, headers: { Date: 'a' } })
    request.headers.push(['date', 'b'])
    expect(failuresOf(await judge(request))).toEqual(['date: date-repeated'])
    const absent = await judgeSigned({ headers: { Date: undefined } })
    expect(failuresOf(absent)).toEqual(['date: date-missing', 'coverage: coverage-absent'])
  })

  test('is judged again when the body has arrived', async () => {
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

  test('is held in a replay store as long as created is recent', async () => {
    const claims: number[] = []
    const replayStore = {
      claim: async (_: string, _token: string, ttlSeconds: number) => claims.push(ttlSeconds) > 0,
      release: async () => {}
    }
    await judgeSigned({ ...withoutDate, params: { created: String(SECONDS + 200) } }, { replayStore })
    expect(claims).toEqual([502])
  })
})

describe('the headers', () => {
  const headersWithout = (name: string) => signed({ headers: { [name]: undefined } })

  test('are both there', async () => {
    for (const name of ['Signature-Input', 'Signature']) {
      const verdict = await judge(headersWithout(name))
      expect(failuresOf(verdict)).toEqual(['signature-header: signature-missing'])
      expect(verdict.checks['signature-header']).toMatchObject({
        code: 'signature-missing',
        ...(name === 'Signature-Input' && { evidence: { header: name } })
      })
      expect(verdict.checks.date).toMatchObject({ outcome: 'not-run' })
      expect(verdict.checks.coverage).toMatchObject({ outcome: 'not-run' })
    }
  })

  test('have the same labels: one that is in only one of them is an error', async () => {
    const other = signature({ label: 'other', params: { keyid: '"other.example"' } })
    for (const line of [['signature', other.signature] as const, ['signature-input', other.input] as const]) {
      const request = signed()
      request.headers.unshift([...line])
      const verdict = await judge(request)
      expect(failuresOf(verdict)).toEqual(['signature-header: signature-parameter-missing'])
      expect(verdict.failures[0]?.evidence).toEqual({ parameter: 'other' })
    }
  })

  test.each([
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

  test('show where they are malformed', async () => {
    const verdict = await judge(signed({ headers: { 'Signature-Input': `sig1=();keyid="${KEY_ID.rsa}";nonce=x` } }))
    expect(verdict.checks['signature-header']).toMatchObject({
      evidence: { position: 0, reason: 'nonce is not of type string', excerpt: 'sig1=();keyid="rsa._' }
    })
    const status = await judge(
      signed({ headers: { 'Signature-Input': `sig1=("@method" "@status");keyid="${KEY_ID.rsa}"` } })
    )
    expect(status.checks['signature-header']).toMatchObject({
      code: 'signature-malformed',
      evidence: { position: 16, reason: 'a request has no @status', excerpt: 'sig1=("@method" "@status");keyid="rs' }
    })
  })
})

describe('several signatures', () => {
  const withOthers = (...others: { input: string; signature: string }[]): ReceivedRequest => {
    const own = signature()
    return signed({
      headers: {
        'Signature-Input': [...others, own].map(signed => signed.input).join(', '),
        Signature: [...others, own].map(signed => signed.signature).join(', ')
      }
    })
  }

  test('it does not matter what others cover', async () => {
    const responses = { input: 'proxy=("@status" "x";req);keyid="proxy.example"', signature: 'proxy=:AA==:' }
    expect((await judge(withOthers(responses))).status).toBe('verified')
  })

  test('two of the service are refused', async () => {
    const other = signature({ label: 'sig2', algorithm: 'ed25519' })
    const verdict = await judge(withOthers(other))
    expect(failuresOf(verdict)).toEqual(['signature-header: signature-repeated'])
    expect(verdict.checks['signature-header']).toMatchObject({
      evidence: { reason: 'more than one is made with a key of the service' }
    })
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
  ] as const)('%s and %s: %j', async (algorithm, hashes, fits) => {
    const lookupTxt = async (name: string) =>
      RECORDS[name]!.map(chunks => [chunks.join('').replace('; k=', `; ${hashes}; k=`)])
    const verdict = await judgeSigned({ algorithm }, { lookupTxt })
    expect(failuresOf(verdict)).toEqual(fits ? [] : ['key: key-hash-not-allowed'])
  })
})

describe('the nonce', () => {
  const covered = { lines: { '"x-nonce"': 'x' }, headers: { 'X-Nonce': 'x' } }
  test.each<[string, Recipe, string | undefined]>([
    ['is the parameter of the signature', { params: { nonce: '"n"' }, headers: { 'X-Nonce': 'x' } }, 'n'],
    ['goes before a covered X-Nonce', { ...covered, params: { nonce: '"n"' } }, 'n'],
    ['is else a covered X-Nonce', covered, 'x'],
    ['is never an X-Nonce that is not covered', { headers: { 'X-Nonce': 'x' } }, undefined]
  ])('%s', async (_, recipe, nonce) => expect(await judgeSigned(recipe)).toMatchObject({ status: 'verified', nonce }))
})

describe('the choice between the schemes', () => {
  const verify = (options: Partial<VerifierOptions>) => createVerifier({ ...service.options, ...options })
  const draft = service.sign({ body: BODY })
  const standard = service.sign({ body: BODY, scheme: 'rfc9421' })
  const headersOf = (request: ReceivedRequest) => [...(request.headers as Iterable<Line>)]

  test('a replay store recognizes a signature whatever else is changed', async () => {
    const replaying = verify({ ...BOTH, replayStore: memoryReplayStore() })
    expect((await replaying(standard)).status).toBe('verified')
    const respelt = headersOf(standard).map(([name, value]): Line => [name, value.replace('" "', '"  "')])
    expect(respelt).not.toEqual(standard.headers)
    expect(failuresOf(await replaying({ ...standard, headers: respelt }))).toEqual(['replay: replayed'])
  })

  test('each uses its own algorithms of the list', async () => {
    const mixed = verify({ ...BOTH, algorithms: ['rsa-sha256', 'rsa-pss-sha512', 'hs2019'] })
    expect((await mixed(draft)).status).toBe('verified')
    expect(await mixed(standard)).toMatchObject({
      checks: {
        'signature-header': { code: 'signature-algorithm-not-allowed', evidence: { allowed: ['rsa-pss-sha512'] } }
      }
    })
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

  test.each([
    [[rfc9421], ['rsa-sha256'], 'which allows none of rfc9421: add one of rsa-v1_5-sha256, rsa-pss-sha512, ed25519'],
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

  test('ed25519 belongs to both', () => expect(create({ ...BOTH, algorithms: ['ed25519'] })).not.toThrow())
})
