import { expect, test } from 'vitest'
import { createVerifier, matchesDigest, type VerifierOptions } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { failuresOf } from '../support/verdicts.ts'

const service = createTestService({ rsaBits: 1024 })
const verifyWith = (options: Partial<VerifierOptions>, request = service.sign()) =>
  createVerifier({ ...service.options, ...options })(request)

test.each([[null], [undefined], [0], ['yes'], [{}], [() => true]])(
  'takes %j from an accounts function for a failure of the function',
  async answer => {
    const accounts = (() => answer) as unknown as () => boolean
    expect(failuresOf(await verifyWith({ accounts }))).toEqual(['account: account-check-failed'])
    const later = (async () => answer) as unknown as () => Promise<boolean>
    expect(failuresOf(await verifyWith({ accounts: later }))).toEqual(['account: account-check-failed'])
  }
)

test('a clock that gives no number is a mistake of the caller', async () => {
  await expect(verifyWith({ now: () => Number.NaN })).rejects.toThrow(
    'now() returned NaN: return milliseconds since 1970'
  )
  await expect(verifyWith({ now: () => Number.POSITIVE_INFINITY })).rejects.toThrow(TypeError)
})

test('rejects an empty digest list', () => {
  expect(matchesDigest([], new Uint8Array(0))).toMatchObject({
    ok: false,
    code: 'digest-unsupported',
    evidence: { received: [] }
  })
})

test('a list is missing and so is created: it covers too little, and that is all there is to say', async () => {
  const request = service.sign({ covered: ['(request-target)', 'host', 'date', 'x-service-id', 'digest'] })
  const headers = [...(request.headers as Iterable<[string, string]>)].map(([name, value]) => [
    name,
    name === 'Signature' ? value.replace(/headers="[^"]*",/, '') : value
  ]) as [string, string][]
  const verdict = await verifyWith({}, { ...request, headers })
  expect(failuresOf(verdict)).toEqual(['coverage: coverage-insufficient'])
})

test.each([
  ['2', 2],
  ['999999999999999', 999_999_999_999_999],
  ['1000000000000000', undefined],
  ['+2', undefined],
  ['2 bytes', undefined],
  ['x2', undefined],
  ['', undefined]
])('a signed Content-Length of %j stands beside a mismatch as %j', async (length, contentLength) => {
  const request = service.sign({ method: 'POST', body: '[]', headers: { 'Content-Length': length } })
  const verdict = await verifyWith({}, { ...request, body: '{}' })
  expect(verdict).toMatchObject({ failures: [{ code: 'digest-mismatch' }] })
  expect(verdict.status === 'rejected' && verdict.failures[0].evidence).toStrictEqual({
    algorithm: 'sha-256',
    expected: expect.any(String),
    actual: expect.any(String),
    bodyLength: 2,
    ...(contentLength !== undefined && { contentLength })
  })
})

test('a re-serialized body is guessed also when its length is not signed, and not when another length is', async () => {
  const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
  const guess = async (names: string[], length: string) => {
    const headers = { 'Content-Length': length }
    const request = service.sign({ method: 'POST', body: '[1]\n', headers, covered: names })
    const verdict = await verifyWith({}, { ...request, body: '[1]' })
    return verdict.status === 'rejected' && verdict.failures[0].evidence
  }
  expect(await guess(covered, '3')).toMatchObject({ reencoding: 'newline-removed' })
  expect(await guess([...covered, 'content-length'], '4')).toMatchObject({
    reencoding: 'newline-removed'
  })
  expect(await guess([...covered, 'content-length'], '3')).not.toHaveProperty('reencoding')
})

test.each([
  [0, 0, 302],
  [-300, 0, 2],
  [-299, 500, 3],
  [300, 0, 602],
  [10, -200, 313]
])('a Date of %d s, judged at %d ms, is remembered for %d seconds', async (date, at, expected) => {
  const noon = Date.UTC(2026, 10, 20, 12)
  const request = service.sign({ date: new Date(noon + date * 1000) })
  const claims: [string, number][] = []
  const replayStore = {
    claim: async (id: string, ttl: number) => claims.push([id, ttl]) > 0,
    release: async () => {}
  }
  const verdict = await verifyWith({ replayStore, now: () => noon + at }, request)
  expect(verdict.status).toBe('verified')
  expect(claims).toEqual([[expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/), expected]])
})
