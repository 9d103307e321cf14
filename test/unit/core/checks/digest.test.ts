import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { diagnose, matchesDigest } from '../../../../src/index.ts'
import { service } from '../../../support/service.ts'
import { verifyWith } from '../../../support/verdicts.ts'

const digestOf = (hash: string) => ({
  algorithm: hash.replace('sha', 'sha-'),
  value: new Uint8Array(createHash(hash).update('{}').digest())
})
const OTHER = { algorithm: 'sha-256', value: new Uint8Array(32) }
const MD5 = { algorithm: 'md5', value: new Uint8Array(16) }

test.each([
  [true, 'one digest of the body', [digestOf('sha256')]],
  [true, 'two, beside one that does not count', [digestOf('sha256'), MD5, digestOf('sha512')]],
  [false, 'another one', [OTHER]],
  [false, 'one that matches beside one that does not', [digestOf('sha512'), OTHER]],
  [false, 'only one that does not count', [MD5]],
  [false, 'none', []]
])('matchesDigest is %s for %s', (expected, _, digests) => {
  expect(matchesDigest(digests, Buffer.from('{}'))).toBe(expected)
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

test('a change of the body is found when the signed length allows it, or none is signed', async () => {
  const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
  const changeOf = async (names: string[], length: string) => {
    const headers = { 'Content-Length': length }
    const request = service.sign({ method: 'POST', body: '[1]\n', headers, covered: names })
    return diagnose(await verifyWith({}, { ...request, body: '[1]' })).failures[0]?.change
  }
  expect(await changeOf(covered, '3')).toBe('newline-removed')
  expect(await changeOf([...covered, 'content-length'], '4')).toBe('newline-removed')
  expect(await changeOf([...covered, 'content-length'], '3')).toBeUndefined()
})
