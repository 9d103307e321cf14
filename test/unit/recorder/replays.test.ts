import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import type { RefusedRequest } from '../../../src/core/verdict/refused-request.ts'
import {
  createVerifier,
  diagnose,
  type ReceivedRequest,
  type Verdict,
  type VerifierOptions
} from '../../../src/index.ts'
import { createRecorder, type VectorFile } from '../../../src/recorder/index.ts'
import { recordRequest } from '../../../src/recorder/recorded.ts'
import { fromFixture } from '../../../src/testing/index.ts'
import { isFixture } from '../../support/fixture-schema.ts'
import { service } from '../../support/service.ts'
import { loadVectors } from '../../support/vectors.ts'

const codesOf = ({ failures }: Verdict) => failures.map(({ code }) => code)

const outcomeOf = (verdict: Verdict) => ({
  status: verdict.status,
  codes: codesOf(verdict),
  cause: diagnose(verdict).failures[0]?.cause,
  checks: Object.values(verdict.checks).map(({ outcome }) => outcome)
})

/** Keeps one request, and verifies the request that its file holds. */
async function keepAndVerify(request: ReceivedRequest, options: VerifierOptions) {
  const recorder = createRecorder({ redact: false })
  const verdict = await createVerifier({ ...options, recorder })(request)
  return { verdict, ...(await verifyKept(recorder)) }
}

async function verifyKept(recorder: ReturnType<typeof createRecorder>) {
  const [document] = JSON.parse(JSON.stringify(recorder.fixtures()))
  if (document === undefined) return {}
  expect(recorder.fixtures()).toStrictEqual([document])
  expect([isFixture(document), isFixture.errors]).toEqual([true, null])
  const fixture = fromFixture(document)
  return { document, fixture, again: await createVerifier(fixture.options)(fixture.request) }
}

test('every refused vector is kept, as it is and redacted, and the fixture gives the same verdict again', async () => {
  const changed: string[] = []
  for (const { name, options, request } of loadVectors()) {
    const [whole, redacting] = [createRecorder({ redact: false }), createRecorder({ redact: true })]
    const recorder = {
      record(...refused: Parameters<typeof whole.record>) {
        for (const each of [whole, redacting]) each.record(...refused)
      }
    }
    const verdict = await createVerifier({ ...options, recorder })(request)
    const { again, fixture, document } = await verifyKept(whole)
    const redacted = await verifyKept(redacting)
    const isVerified = verdict.status === 'verified'
    expect([name, again === undefined, redacted.again === undefined]).toEqual([name, isVerified, isVerified])
    if (again === undefined || redacted.again === undefined) continue
    const outcome = outcomeOf(verdict)
    expect([name, outcomeOf(again)]).toEqual([name, outcome])
    expect(fixture.expected).toMatchObject({ status: verdict.status })

    // Most vectors have nothing to redact.
    if (JSON.stringify(redacted.document) === JSON.stringify(document)) continue
    const { note = '' } = redacted.document.vectors[0]
    const isNoted = note.includes('and the signature says it covers them')
    if (!isNoted) expect([name, outcomeOf(redacted.again)]).toEqual([name, outcome])
    else expect([name, verdict.checks.signature.outcome]).not.toEqual([name, 'pass'])
    expect([name, redacted.again.status]).toEqual([name, verdict.status])
    if (String(codesOf(redacted.again)) !== String(codesOf(verdict))) changed.push(name)
  }
  // No form of this covered value can be signed; without the value, the request can.
  expect(changed).toEqual([
    'rfc9421-field-beyond-ascii',
    'rfc9421-field-beyond-octets-in-bs',
    'rfc9421-field-with-a-control-character',
    'rfc9421-field-that-is-not-structured',
    'rfc9421-sf-of-1024-characters'
  ])
})

const never = () => new Promise<never>(() => {})
const gone = (code?: string) => () => Promise.reject(Object.assign(new Error('secret'), code && { code }))
const store = (claim: () => Promise<boolean>) => ({
  replayStore: { name: 'Redis at 10.0.0.5', claim, release: gone() }
})
const servers = () => ['10.0.0.53', 'dns.example']

const FAILING: readonly [name: string, Partial<VerifierOptions>][] = [
  ['accounts that returned false', { accounts: () => false }],
  ['accounts that returned undefined', { accounts: (() => undefined) as never }],
  ['accounts that threw', { accounts: gone('ECONNREFUSED') }],
  ['accounts that threw without a code', { accounts: gone() }],
  ['a store that was late', { ...store(never), replayTimeout: 5 }],
  ['a store that threw', store(gone('ECONNREFUSED'))],
  ['a store that answered something else', store((async () => 'OK') as never)],
  ['a store that had it', store(async () => false)],
  ['DNS that was late', { lookupTxt: never, lookupTimeout: 5 }],
  ['DNS that was late, by its own clock', { lookupTxt: gone('ETIMEOUT') }],
  ['DNS that failed', { lookupTxt: gone('ESERVFAIL') }],
  ['DNS over HTTPS that failed', { lookupTxt: Object.assign(gone('ECONNREFUSED'), { servers }) }],
  ['DNS that failed without a code', { lookupTxt: gone() }],
  ['DNS that knew no such name', { lookupTxt: Object.assign(gone('ENOTFOUND'), { servers }) }],
  ['DNS that answered something else', { lookupTxt: (async () => 'x') as never }],
  ['DNS that answered at once', { lookupTxt: (() => []) as never }]
]

test.each(FAILING)(
  'the receiver itself failed, and fails again in the same way, without a wait: %s',
  async (_, more) => {
    const { verdict, fixture } = await keepAndVerify(service.sign({ body: '{}' }), { ...service.options, ...more })
    vi.useFakeTimers({ now: fixture!.options.now!() })
    try {
      const again = await createVerifier(fixture!.options)(fixture!.request)
      expect(outcomeOf(again)).toEqual(outcomeOf(verdict))
      expect(again.failures).toEqual(verdict.failures)
    } finally {
      vi.useRealTimers()
    }
  }
)

test('a repetition that came while the first claim was undecided is undecided again, however often', async () => {
  const recorder = createRecorder()
  const options = { ...service.options, ...store(gone('ECONNREFUSED')), recorder }
  const verify = createVerifier(options)
  const request = service.sign({ body: '{}' })
  await verify(request)
  const verdict = await verify(request)
  expect(verdict.failures).toMatchObject([{ code: 'replay-store-failed', evidence: { problem: 'undecided' } }])
  const fixture = fromFixture(JSON.parse(JSON.stringify(recorder.fixtures()[0])))
  const again = createVerifier(fixture.options)
  for (let i = 0; i < 2; i++) expect(await again(fixture.request)).toEqual(verdict)
  // The text of the store's error is in no fixture.
  const { cause, fix } = diagnose(verdict).failures[0]!
  expect(diagnose(await again(fixture.request)).failures).toMatchObject([{ cause, fix }])
})

test('a request that was aborted while DNS was asked is refused for the same reason', async () => {
  const signal = AbortSignal.abort()
  const { verdict, again } = await keepAndVerify({ ...service.sign(), signal }, service.options)
  expect(verdict.failures).toMatchObject([{ code: 'key-lookup-failed', evidence: { problem: 'late' } }])
  expect(again!.failures).toEqual(verdict.failures)
})

test('an accounts function that was not asked is not asked again', async () => {
  const accounts = () => expect.unreachable()
  const { verdict, again } = await keepAndVerify({ ...service.sign(), https: false }, { ...service.options, accounts })
  expect(again).toEqual(verdict)
})

test('a request that became too old while its body came is too old again', async () => {
  let now = Date.now()
  const signed = service.sign({ body: '{}' })
  const body = (async function* () {
    now += 400_000
    yield signed.body
  })()
  const { verdict, again } = await keepAndVerify({ ...signed, body }, { ...service.options, now: () => now })
  expect(verdict.failures.map(({ code }) => code)).toEqual(['date-too-old'])
  expect(again!.failures.map(({ code }) => code)).toEqual(['date-too-old'])
})

const bodyIn = (document: VectorFile) => document.vectors[0]!.request.body

describe('of a body', () => {
  const options = { ...service.options, lookupTxt: service.lookupTxt }
  const chunks = (...texts: string[]) =>
    (async function* () {
      for (const text of texts) yield Buffer.from(text)
    })()

  test('all bytes of a streamed body are kept when it does not match', async () => {
    const request = { ...service.sign({ body: '{"id":1}' }), body: chunks('{"id"', ': 1}') }
    const { verdict, again, document } = await keepAndVerify(request, options)
    expect(bodyIn(document)).toEqual({ utf8: '{"id": 1}' })
    expect(document.vectors[0]).not.toHaveProperty('note')
    expect(again!.failures).toEqual(verdict.failures)
  })

  test('the bytes of a body that broke off are kept, and it breaks off again', async () => {
    const body = (async function* () {
      yield Buffer.from('{"id"')
      throw Object.assign(new Error('secret'), { code: 'ECONNRESET' })
    })()
    const { verdict, again, document } = await keepAndVerify({ ...service.sign({ body: '{}' }), body }, options)
    expect(bodyIn(document)).toEqual({ utf8: '{"id"', error: 'ECONNRESET' })
    expect(again!.failures).toEqual(verdict.failures)
  })

  test('the bytes of a body that did not end in time are kept, and it is late again', async () => {
    const body = (async function* () {
      yield Buffer.from('{')
      await never()
    })()
    const request = { ...service.sign({ body: '{}' }), body }
    const { verdict, again, document } = await keepAndVerify(request, { ...options, bodyTimeout: 5 })
    expect(bodyIn(document)).toEqual({ utf8: '{', error: 'it did not end within 5 ms' })
    expect(again!.failures).toEqual(verdict.failures)
  })

  test.each([
    ['streamed', (text: string) => chunks(text.slice(0, 60), text.slice(60))],
    ['as bytes', (text: string) => Buffer.from(text)],
    ['as text', (text: string) => text]
  ])('a body above the limit is above the limit again: %s', async (_, make) => {
    const request = { ...service.sign({ body: '{}' }), body: make('é'.repeat(60)) }
    const { verdict, again } = await keepAndVerify(request, { ...options, maxBodyBytes: 100 })
    expect(verdict.failures.map(({ code }) => code)).toEqual(['body-too-large'])
    expect(again!.failures).toEqual(verdict.failures)
  })

  test.each([
    ['streamed', chunks('x'.repeat(60), 'y'.repeat(60))],
    ['as bytes', Buffer.from('x'.repeat(60) + 'y'.repeat(60))]
  ])('no more than maxBodyBytes of a body is kept, and the fixture says how long it was: %s', async (_, body) => {
    const recorder = createRecorder({ maxBodyBytes: 100 })
    await createVerifier({ ...options, recorder })({ ...service.sign({ body: '{}' }), body })
    const [document] = recorder.fixtures()
    expect(bodyIn(document!)).toEqual({ utf8: 'x'.repeat(60) + 'y'.repeat(40), length: 120 })
    const { request, expected, ...fixture } = fromFixture(document!)
    const again = await createVerifier(fixture.options)(request)
    expect(again.failures).toMatchObject([{ code: 'digest-mismatch', evidence: { bodyLength: 120 } }])
    expect(expected).toMatchObject({ status: 'rejected', failures: [{ code: 'digest-mismatch' }] })
  })

  test.each([
    ['as bytes', Buffer.from('é'.repeat(60))],
    ['as text', 'é'.repeat(60)]
  ])(
    'no more than maxBodyBytes is kept of a body that is above the limit of the verifier, too: %s',
    async (_, body) => {
      const recorder = createRecorder({ maxBodyBytes: 10 })
      await createVerifier({ ...options, maxBodyBytes: 100, recorder })({ ...service.sign({ body: '{}' }), body })
      expect(bodyIn(recorder.fixtures()[0]!)).toEqual({ utf8: 'é'.repeat(5), length: 120 })
    }
  )

  test('a body that was read and is empty is null, as that of a request without one', async () => {
    const { verdict, again, document } = await keepAndVerify(
      { ...service.sign({ body: '{}' }), body: chunks() },
      options
    )
    expect(bodyIn(document)).toBeNull()
    expect(again!.failures).toEqual(verdict.failures)
  })

  test('nothing is kept of a body that was not read, and the fixture says so', async () => {
    const body = chunks('{}')
    const { document } = await keepAndVerify({ ...service.sign({ body: '{}' }), https: false, body }, options)
    expect(document.vectors[0]).toMatchObject({ request: { body: null }, note: 'the body was not read' })
  })

  test.each([
    ['accepts', 2_000_000],
    ['does not accept', 500_000]
  ])('of a body as large as the verifier %s, a copy of its part stays in memory and no buffer', async (_, limit) => {
    const refused = await refusedBy(Buffer.alloc(1_000_000), { maxBodyBytes: limit })
    expect(recordRequest(refused, 65_536).body!.bytes.buffer.byteLength).toBe(65_536)
  })
})

/** docs/threat-model.md promises this. */
const MAX_HEAD = Number(/at most (\d+) KB of head/.exec(readFileSync('docs/threat-model.md', 'utf8'))?.[1]) * 1024

test.each([
  ['is kept whole', 0, false],
  ['and one character is cut', 1, true]
])('a head of the largest size %s', async (_, extra, isCut) => {
  const refused = await refusedBy(new Uint8Array(1))
  const { method, target } = refused.request
  const line = ['x-a', 'x'.repeat(MAX_HEAD - method.length - target.length - 'x-a'.length + extra)] as const
  const recorded = recordRequest({ ...refused, request: { ...refused.request, headers: [line] } }, 10)
  expect([recorded.headers.length, recorded.isHeadCut]).toEqual([isCut ? 0 : 1, isCut])
})

test('of a verdict about a head that is too large, no text keeps more than its beginning', async () => {
  const refused = await refusedBy(new Uint8Array(1))
  const request = { ...refused.request, target: `/${'x'.repeat(MAX_HEAD)}` }
  const long = { ...refused.verdict, accountId: 'x'.repeat(MAX_HEAD) } as unknown as RefusedRequest['verdict']
  const recorded = recordRequest({ ...refused, request, verdict: long }, 10)
  expect(JSON.stringify(recorded.verdict).length).toBeLessThan(MAX_HEAD / 4)
  expect(recorded.verdict.failures).toEqual(refused.verdict.failures)
  expect([refused.seen, recorded.seen]).toMatchObject([
    { keyId: expect.any(String), account: expect.any(String) },
    { keyId: undefined, account: undefined }
  ])
})

/** Returns the request that the verifier passes to a recorder. */
async function refusedBy(body: Uint8Array, options?: Partial<VerifierOptions>): Promise<RefusedRequest> {
  const passed: object[] = []
  const recorder = { record: (refused: object) => void passed.push(refused) }
  await createVerifier({ ...service.options, ...options, recorder })({ ...service.sign({ body: '{}' }), body })
  return passed[0] as RefusedRequest
}
