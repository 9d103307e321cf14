import { constants, sign as cryptoSign } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { ED25519, ONE, RSA_4096 } from '../../../fixtures/source/keys.ts'
import { findChangedLine, PATIENT_SEARCH_COST, SEARCH_COST } from '../../../src/explain/changed-line.ts'
import { diagnoseWithin } from '../../../src/explain/diagnose.ts'
import { LABELS } from '../../../src/explain/explain.ts'
import { openSignature } from '../../../src/explain/opened-signature.ts'
import {
  type Algorithm,
  buildSigningString,
  createVerifier,
  type DiagnosedFailure,
  diagnose,
  type ReceivedRequest,
  type VerifierOptions
} from '../../../src/index.ts'
import { createTestService, type SignRequest } from '../../../src/testing/index.ts'
import { captureBytes } from '../../support/capture-bytes.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { runInside } from '../../support/run-cli.ts'
import { linesOf, service, withHeaders } from '../../support/service.ts'
import { COVERED } from '../../support/situations.ts'
import { loadVectors } from '../../support/vectors.ts'

const HOSTS = ['receiver.example', 'www.receiver.example']

const sign = (request: SignRequest = {}): ReceivedRequest =>
  service.sign({ target: '/hook?id=42', body: '{"event":"published"}', ...request })

type Evidence = Parameters<typeof findChangedLine>[0]

type ChangedLine = NonNullable<DiagnosedFailure['changed']>

const verdictOn = (request: ReceivedRequest, options: Partial<VerifierOptions> = {}) =>
  createVerifier({ ...service.options, hosts: HOSTS, ...options })(request)

async function changedLineOf(
  request: ReceivedRequest,
  options: Partial<VerifierOptions> = {},
  searchCost = SEARCH_COST
): Promise<ChangedLine | undefined> {
  const { failures } = diagnoseWithin(searchCost, await verdictOn(request, options))
  expect(failures.map(({ code }) => code)).toEqual(['signature-mismatch'])
  return failures[0]!.changed
}

/** Counts the steps of the search for the changed line. */
async function costOf(request: ReceivedRequest, options: Partial<VerifierOptions> = {}) {
  const { signature } = (await verdictOn(request, options)).checks
  if (signature.outcome !== 'fail' || signature.code !== 'signature-mismatch') throw new Error('it is not a mismatch')
  const opened = openSignature(signature.evidence)!
  let cost = 0
  const counted = {
    ...opened,
    wasSigned(text: string) {
      cost += opened.cost(text)
      return opened.wasSigned(text)
    }
  }
  const { changed } = findChangedLine(signature.evidence, SEARCH_COST, counted)
  return { changed, cost }
}

describe.each([
  ['rsa', 'hs2019'],
  ['ed25519', 'hs2019'],
  ['rsa', 'rsa-sha512'],
  ['ed25519', 'ed25519']
])('a signature of a key of type %s, by %s', (type, algorithm) => {
  const key = type === 'rsa' ? ONE : ED25519

  /** Replaces the service's signature of the request by one with that key. */
  function resign(request: ReceivedRequest): ReceivedRequest {
    const text = buildSigningString(request, COVERED)
    if (!text.ok) throw new Error(text.message)
    const data = Buffer.from(text.value, 'latin1')
    const pss = algorithm === 'hs2019' && { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }
    const hash = type === 'ed25519' ? null : 'sha512'
    const signature = cryptoSign(hash, data, { key: key.privateKey, ...(hash && pss) }).toString('base64')
    const value = `keyId="k.service.example",algorithm="${algorithm}",headers="${COVERED.join(' ')}",signature="${signature}"`
    return withHeaders(request, { Signature: value })
  }
  const options = {
    algorithms: ['hs2019', 'rsa-sha512', 'ed25519'] as Algorithm[],
    lookupTxt: async () => [[key.record]]
  }

  test('a changed line whose original a proxy forwarded is found, for keys and algorithms of each type', async () => {
    const original = resign(sign({ target: '/hooks/one?x=1' }))
    const rewritten = withHeaders({ ...original, target: '/index.php' }, { 'X-Original-URI': '/hooks/one?x=1' })
    expect(await changedLineOf(rewritten, options)).toEqual({
      line: 1,
      received: '(request-target): post /index.php',
      signed: '(request-target): post /hooks/one?x=1'
    })
    expect(await changedLineOf(withHeaders(original, { Host: 'www.receiver.example' }), options)).toMatchObject({
      line: 2
    })
  })

  test('a changed line is not explained by an original that does not verify', async () => {
    const original = resign(sign({ target: '/hooks/one?x=1' }))
    const rewritten = withHeaders({ ...original, target: '/index.php' }, { 'X-Original-URI': '/hooks/another' })
    expect(await changedLineOf(rewritten, options)).toBeUndefined()
  })

  test('the search for a changed line has a bounded cost, however many originals there are', async () => {
    const originals = Array.from({ length: 400 }, (_, i) => ['X-Original-URI', `/${i}`] as const)
    const request = resign(sign({ target: '/a' }))
    const lines = [...linesOf(request), ...originals].slice(0, 490)
    const { changed, cost } = await costOf({ ...request, target: '/quite/different', headers: lines }, options)
    expect(changed).toBeUndefined()
    expect(cost).toBeLessThanOrEqual(SEARCH_COST)
  })
})

describe.each([
  ['ed25519', ED25519],
  ['RSA-PSS with 2,048 bits', ONE],
  ['RSA-PSS with 4,096 bits', RSA_4096]
])('a signature by %s', (_, key) => {
  const options = { algorithms: ['hs2019'] as Algorithm[], lookupTxt: async () => [[key.record]] }

  const covered = [...COVERED, 'content-length', 'content-type']

  /** Signs with that key as the service would. */
  function signSlowly(request: SignRequest): ReceivedRequest {
    const signed = sign(request)
    const text = buildSigningString(signed, covered)
    if (!text.ok) throw new Error(text.message)
    const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }
    const isRsa = key.privateKey.asymmetricKeyType === 'rsa'
    const data = Buffer.from(text.value, 'latin1')
    const signature = cryptoSign(isRsa ? 'sha512' : null, data, { key: key.privateKey, ...(isRsa && pss) })
    const parts = `keyId="k.service.example",algorithm="hs2019",headers="${covered.join(' ')}"`
    return withHeaders(signed, { Signature: `${parts},signature="${signature.toString('base64')}"` })
  }

  const TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain']
  const CHARSETS = ['', '; charset=utf-8']
  test.each(
    ['/hook', '/api/hooks/in', '/api/hooks/in?id=42&x=1', '/api/hooks/caf%C3%A9'].flatMap(target =>
      TYPES.flatMap(type =>
        CHARSETS.flatMap(from =>
          CHARSETS.filter(to => to !== from).map(to => [target, type + from, type + to] as const)
        )
      )
    )
  )('a rewritten Content-Type is found, whatever the target: %s, %s, %s', async (target, signed, received) => {
    const headers = { 'Content-Type': signed, 'Content-Length': '21' }
    const request = withHeaders(signSlowly({ target, headers }), { 'Content-Type': received })
    const [failure] = diagnose(await verdictOn(request, options)).failures
    expect(failure).toMatchObject({
      changed: { line: 7, signed: `content-type: ${signed}`, received: `content-type: ${received}` },
      cause: expect.stringMatching(/Content-Type was rewritten/)
    })
    // A changed line of an Ed25519 signature shows no published RSA key.
    expect(failure?.madeByKey).toBe(key === ED25519 ? undefined : true)
  })

  const PREFIX = /^line 1 was changed after it was signed: a proxy or router stripped \/hooks from the path$/
  const SLASH = /^line 1 was changed after it was signed: a proxy.* stripped \/in from the path and added a slash/
  const REWRITTEN = /rewrote the target; x-original-uri has the signed one$/
  const QUERY = /^line 1 was changed after it was signed: the query was dropped on the way$/
  const ENCODING = /^line 1 was changed .*: the target was decoded or encoded again, or slashes were merged or removed/
  const HOST = /^line 2 was changed after it was signed: a proxy replaced Host$/
  const PORT = /^line 2 was changed after it was signed: a proxy changed the port in Host$/
  const CASE = /^line 2 .*: capital letters of Host were put in lower case/
  const many = Array.from({ length: 12 }, (_, i) => `www${i}.receiver.example`)

  test('a redirect that turned POST into GET is found by verifying alone, without a hint', async () => {
    const received = { ...signSlowly({ target: '/hooks/a?id=1' }), method: 'GET' }
    const [failure] = diagnose(await verdictOn(received, options)).failures
    expect(failure?.cause).toMatch(/^line 1 was changed .*: the method was changed: a redirect turned POST into GET/)
  })

  test.each<
    [what: string, RegExp, SignRequest, headers: Record<string, string>, Partial<VerifierOptions>, target?: string]
  >([
    ['a stripped prefix', PREFIX, { target: '/hooks/a' }, { 'X-Forwarded-Prefix': '/hooks' }, {}, '/a'],
    [
      'a prefix with twelve hosts',
      PREFIX,
      { target: '/hooks/a' },
      { 'X-Forwarded-Prefix': '/hooks/' },
      { hosts: [...HOSTS, ...many] },
      '/a'
    ],
    ['a prefix of which a slash is left', SLASH, { target: '/in/a' }, { 'X-Forwarded-Prefix': '/in' }, {}, '//a'],
    ['a rewrite', REWRITTEN, { target: '/hooks/a' }, { 'X-Original-URI': '/hooks/a' }, {}, '/index.php'],
    ['a dropped query', QUERY, { target: '/a?id=1' }, { 'X-Forwarded-Uri': '/a?id=1' }, {}, '/a'],
    ['another host of ours', HOST, { host: 'www.receiver.example' }, { Host: 'receiver.example' }, {}],
    [
      'a forwarded host',
      HOST,
      { host: 'receiver.example' },
      { Host: 'www.receiver.example', 'X-Original-Host': 'receiver.example' },
      {}
    ],
    [
      'a port that is configured',
      PORT,
      { host: 'receiver.example:9444' },
      { Host: 'receiver.example' },
      { hosts: ['receiver.example', 'receiver.example:9444'] }
    ],
    [
      'a port that is forwarded',
      PORT,
      { host: 'receiver.example:9444' },
      { Host: 'receiver.example', 'X-Forwarded-Port': '9444' },
      {}
    ],
    [
      'letters of Host as they are configured',
      CASE,
      { host: 'hooks.reCeiver.example' },
      { Host: 'hooks.receiver.example' },
      { hosts: 'hooks.reCeiver.example' }
    ],
    ['a decoded letter', ENCODING, { target: '/caf%C3%A9' }, {}, {}, '/caf\xc3\xa9'],
    ['a decoded colon', ENCODING, { target: '/hooks/a?at=12%3A00' }, {}, {}, '/hooks/a?at=12:00'],
    ['a letter that was encoded', ENCODING, { target: '/hooks/~a' }, {}, {}, '/hooks/%7Ea'],
    ['a slash at the end', ENCODING, { target: '/hooks/a' }, {}, {}, '/hooks/a/'],
    ['slashes that were merged', ENCODING, { target: '/hooks//a' }, {}, {}, '/hooks/a']
  ])('a changed line is found by what the request and the settings suggest, by verifying alone: %s', async (...row) => {
    const [, cause, signed, headers, settings, target] = row
    const request = withHeaders(signSlowly(signed), headers)
    const received = { ...request, target: target ?? request.target }
    const verdict = await verdictOn(received, { ...options, ...settings })
    const [failure] = diagnose(verdict).failures
    expect(failure).toMatchObject({ code: 'signature-mismatch', cause: expect.stringMatching(cause) })

    const capture = {
      method: received.method,
      url: received.target,
      headers: linesOf(received),
      body: Buffer.from(received.body as Uint8Array).toString()
    }
    const hosts = [settings.hosts ?? HOSTS].flat().flatMap(host => ['--host', host])
    const args = [
      'explain',
      '--json',
      '--domain',
      'service.example',
      '--account',
      '1234',
      ...hosts,
      '--algorithm',
      'hs2019',
      '--key-record',
      key.record
    ]
    const { stdout } = await runInside(args, JSON.stringify(capture))
    expect(JSON.parse(stdout).diagnosis.failures[0].cause).toMatch(cause)
  })
})

test('finds any one character that was changed, added or removed', async () => {
  const original = '/hook/some/where?id=42'
  const position = fc.nat(original.length - 1)
  const character = fc.string({ unit: 'grapheme-ascii', minLength: 0, maxLength: 1 })
  await fc.assert(
    fc.asyncProperty(position, fc.nat(1), character, async (at, removed, added) => {
      const target = original.slice(0, at) + added + original.slice(at + removed)
      fc.pre(target !== original)
      expect(await changedLineOf({ ...sign({ target: original }), target }, {}, PATIENT_SEARCH_COST)).toMatchObject({
        line: 1,
        signed: `(request-target): post ${original}`
      })
    }),
    { numRuns: 15 }
  )
})

test.each([
  ['/hook?id=42', '/hooks?id=42'],
  ['/hook?id=42', '/hook?id=423'],
  [`/hook/${'a'.repeat(56)}`, `/hook/${'a'.repeat(56)}x`]
])('finds a character that was added to the target without much effort: %s', async (target, received) => {
  expect(await changedLineOf({ ...sign({ target }), target: received })).toMatchObject({
    line: 1,
    signed: `(request-target): post ${target}`
  })
})

test.each(['hoOks.receiver.example', 'hooks.receivEr.example'])(
  'finds the case of one letter in Host without much effort: %s',
  async name => {
    const request = withHeaders(sign({ host: name }), { Host: name.toLowerCase() })
    expect(await changedLineOf(request, { hosts: name.toLowerCase() })).toMatchObject({ signed: `host: ${name}` })
  }
)

test('finds any port that was changed or left out, where a person waits for it', async () => {
  for (const port of [':9443', ':8080', '']) {
    const request = withHeaders(sign({ host: 'receiver.example:9444' }), { Host: `receiver.example${port}` })
    const hosts = ['receiver.example', `receiver.example${port}`]
    expect(await changedLineOf(request, { hosts }, PATIENT_SEARCH_COST)).toMatchObject({
      signed: 'host: receiver.example:9444'
    })
  }
})

test.each(['Hooks.Receiver.example', 'hooks.reCeiver.example', 'HOOKS.receiver.Example'])(
  'a change of the case of Host is found for RSA-PSS: %s',
  async name => {
    const signed = sign({ host: name, target: '/api/hooks/in' })
    const text = buildSigningString(signed, COVERED)
    if (!text.ok) throw new Error(text.message)
    const pss = { key: ONE.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }
    const signature = cryptoSign('sha512', Buffer.from(text.value, 'latin1'), pss).toString('base64')
    const parts = `keyId="k.service.example",algorithm="hs2019",headers="${COVERED.join(' ')}",signature="${signature}"`
    const request = withHeaders(signed, { Signature: parts, Host: name.toLowerCase() })
    const options = { algorithms: ['hs2019'] as Algorithm[], lookupTxt: async () => [[ONE.record]] }
    const [failure] = diagnose(await verdictOn(request, { ...options, hosts: name.toLowerCase() })).failures
    expect(failure).toMatchObject({ madeByKey: true, changed: { signed: `host: ${name}` } })
  }
)

const HOST_CASE = /^line 2 was changed after it was signed: capital letters of Host were put in lower case/

test.each(['Hooks.Example.com', 'hooks.Example.com', 'hooks.example.Com', 'HOOKS.example.com', 'hookS.example.com'])(
  'names the capitals of Host that were put in lower case, with and without --host: %s',
  async name => {
    const request = withHeaders(sign({ host: name }), { Host: name.toLowerCase() })
    for (const hosts of [name, name.toLowerCase()]) {
      const verdict = await verdictOn(request, { hosts })
      const { failures } = diagnoseWithin(PATIENT_SEARCH_COST, verdict)
      expect(failures[0]?.cause).toMatch(HOST_CASE)
      if (hosts === name) expect(diagnose(verdict).failures[0]?.cause).toMatch(HOST_CASE)
    }
  }
)

test('finds nothing when the key did not make the signature, or more was changed', async () => {
  const other = createTestService({ rsaBits: 1024 })
  expect(await changedLineOf(sign(), { lookupTxt: other.lookupTxt })).toBeUndefined()
  expect(await changedLineOf({ ...sign(), target: '/completely/different' })).toBeUndefined()
  expect(await changedLineOf(withHeaders({ ...sign(), target: '/hook?id=43' }, { 'X-Nonce': 'a' }))).toBeUndefined()
})

test('treats header names that are properties of objects like any other', async () => {
  const request = sign({ headers: { constructor: 'abc' }, covered: [...COVERED, 'constructor'] })
  expect(await changedLineOf(withHeaders(request, { constructor: 'abd' }), {}, PATIENT_SEARCH_COST)).toEqual({
    line: 6,
    received: 'constructor: abd',
    signed: 'constructor: abc'
  })
})

const MANY = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`x-${i}`, '1,2']))

test.each([
  ['many lines', { headers: MANY, covered: [...COVERED, ...Object.keys(MANY)] }, '/another'],
  ['a long line', { headers: { 'X-Nonce': 'n'.repeat(7500) } }, '/another'],
  ['a longer one', { headers: { 'X-Nonce': 'n'.repeat(90_000) } }, '/another'],
  ['a long target', { target: `/${'a/'.repeat(3500)}?${'%20+'.repeat(100)}` }, `/b${'%c3%A9/'.repeat(1000)}`],
  ['lists', { headers: { 'X-Nonce': 'a,'.repeat(3500) } }, '/another'],
  ['colons', { headers: { 'X-Nonce': ': '.repeat(3500) } }, '/another'],
  ['slashes', {}, `/${'/'.repeat(7500)}`],
  ['question marks', {}, `/${'?'.repeat(7500)}`],
  ['ampersands', {}, `/?${'&'.repeat(7500)}`],
  ['percent signs', {}, `/?${'%'.repeat(7500)}`]
])('costs little for %s', async (_, signed, target) => {
  const request = { ...sign(signed), target }
  const { changed, cost } = await costOf(request)
  expect(changed).toBeUndefined()
  expect(cost).toBeLessThanOrEqual(SEARCH_COST)

  const verdict = await verdictOn(request)
  const ten = () => {
    for (let n = 0; n < 10; n++) diagnose(verdict)
  }
  expect(await cpuTime(ten)).toBeLessThan(250)
})

test('a sender that signs the method in capitals is not taken for a redirect', async () => {
  const vector = loadVectors().find(({ name }) => name === 'signature-over-upper-case-method')!
  const { failures } = diagnose(await createVerifier(vector.options)(vector.request))
  expect(failures).toMatchObject([
    { cause: expect.stringMatching(/the sender signed the method in upper case/), madeByKey: true }
  ])
})

test('names the line or the check for a change of any one byte of a capture', async () => {
  const capture = (await captureBytes(sign())).toString('latin1')
  const record = Object.values(service.records).flat(2).join('')
  const args = [
    'explain',
    '--domain',
    'service.example',
    '--host',
    HOSTS[0]!,
    '--account',
    '1234',
    '--key-record',
    record
  ]
  const signatureAt = capture.indexOf('Signature:')
  const signatureEnd = capture.indexOf('\r\n', signatureAt)

  const judge = async (at: number): Promise<string> => {
    const byte = capture[at] === 'x' ? 'y' : 'x'
    const changed = Buffer.from(capture.slice(0, at) + byte + capture.slice(at + 1), 'latin1')
    const { stdout, stderr } = await runInside(args, changed)
    return stdout + stderr
  }

  for (let at = 3; at < signatureAt; at += 29) {
    const told = await judge(at)
    const names = told.startsWith('rejected: signature\n')
      ? new RegExp(`\n${LABELS.changed} \\d`)
      : /^(?:rejected: |signed-requests: this is not a request)/
    expect(told, `byte ${at} after ${JSON.stringify(capture.slice(0, at).slice(-20))}`).toMatch(names)
  }
  expect(await judge(signatureEnd - 90)).toMatch(/^rejected: signature\n.*another key made it/s)
  expect(await judge(capture.length - 5)).toMatch(/^rejected: digest\n/)
})

test.each([
  ['6,000 characters', true, 'a: '.padEnd(6000, 'b')],
  ['6,001 characters', false, 'a: '.padEnd(6001, 'b')],
  ['64 lines', true, 'a: b\n'.repeat(63)],
  ['65 lines', false, 'a: b\n'.repeat(64)]
])('a signing string of %s is searched for the changed line: %s', (_, isSearched, signingString) => {
  const wasSigned = vi.fn(() => false)
  const evidence = { signingString, record: '', signature: '', algorithm: '', keyId: '' } as unknown as Evidence
  findChangedLine(evidence, SEARCH_COST, { isRsa: true, isByKey: true, wasSigned, cost: () => 1 })
  expect(wasSigned.mock.calls.length > 0).toBe(isSearched)
})
