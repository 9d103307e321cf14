import { expect, test } from 'vitest'
import { matchesDigest } from '../../../src/index.ts'
import { service } from '../../support/service.ts'
import { verifyWith } from '../../support/verdicts.ts'

test('rejects an empty digest list', () => {
  const unsupported = { ok: false, code: 'digest-unsupported', evidence: { received: [] } }
  expect(matchesDigest([], new Uint8Array(0))).toMatchObject(unsupported)
})

test.each([
  ['2', 2],
  ['999999999999999', 999_999_999_999_999],
  ['1000000000000000', undefined],
  ['+2', undefined],
  ['2 bytes', undefined],
  ['x2', undefined],
  ['', undefined]
])('reports a signed Content-Length of %j with a mismatch as %j', async (length, contentLength) => {
  const request = service.sign({ method: 'POST', body: '[]', headers: { 'Content-Length': length } })
  const verdict = await verifyWith({}, { ...request, body: '{}' })
  expect(verdict).toMatchObject({ failures: [{ code: 'digest-mismatch' }] })
  expect(verdict.failures[0]?.evidence).toStrictEqual({
    algorithm: 'sha-256',
    expected: expect.any(String),
    actual: expect.any(String),
    bodyLength: 2,
    ...(contentLength !== undefined && { contentLength })
  })
})

test('names a re-encoding when the signed length allows it, or none is signed', async () => {
  const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
  const evidence = async (names: string[], length: string) => {
    const headers = { 'Content-Length': length }
    const request = service.sign({ method: 'POST', body: '[1]\n', headers, covered: names })
    return (await verifyWith({}, { ...request, body: '[1]' })).failures[0]?.evidence
  }
  expect(await evidence(covered, '3')).toMatchObject({ change: 'newline-removed' })
  expect(await evidence([...covered, 'content-length'], '4')).toMatchObject({ change: 'newline-removed' })
  expect(await evidence([...covered, 'content-length'], '3')).not.toHaveProperty('change')
})
