import { expect, test } from 'vitest'
import { checkSignatureHeader } from '../../../../src/core/checks/signature-header.ts'
import { ok } from '../../../../src/core/result/result.ts'
import type { ParsedSignature } from '../../../../src/core/standards/scheme.ts'
import { contextWith } from '../../../support/checks.ts'
import { service } from '../../../support/service.ts'
import { verifyWith } from '../../../support/verdicts.ts'

const NOW = 1_800_000_000
const check = (claims: Partial<ParsedSignature>) =>
  checkSignatureHeader(
    contextWith({
      signature: ok({ keyId: 'k', headers: ['host'], signature: Uint8Array.of(1), ...claims }),
      now: NOW * 1000
    })
  )

test('returns the algorithm in lower case, and undefined where the key decides', () => {
  expect(check({ algorithm: 'RSA-SHA256' })).toMatchObject({ ok: true, value: { algorithm: 'rsa-sha256' } })
  expect(check({})).toMatchObject({ ok: true, value: { algorithm: undefined } })
})

test('accepts times at the end of the tolerance, and none a second beyond', () => {
  for (const created of [NOW - 300, NOW + 300]) expect(check({ created }).ok).toBe(true)
  for (const created of [NOW - 301, NOW + 301]) {
    const evidence = { created, offsetSeconds: created - NOW, toleranceSeconds: 300 }
    expect(check({ created })).toMatchObject({ code: 'signature-created-out-of-range', evidence })
  }
  expect(check({ expires: NOW - 300 }).ok).toBe(true)
  expect(check({ expires: NOW - 301 })).toMatchObject({ code: 'signature-expired' })
})

test('names the covered times that the algorithm does not allow', () => {
  const headers = ['(created)', 'host', '(expires)']
  expect(check({ headers, created: NOW, expires: NOW, algorithm: 'rsa-sha256' })).toMatchObject({
    code: 'signature-times-not-allowed',
    evidence: { covered: ['(created)', '(expires)'], algorithm: 'rsa-sha256' }
  })
  expect(check({ headers, created: NOW, expires: NOW }).ok).toBe(true)
})

test('reports (expires) without its parameter, also when nothing else is covered', () => {
  const missing = { code: 'signature-parameter-missing', evidence: { parameter: 'expires' } }
  expect(check({ headers: ['(expires)'] })).toMatchObject(missing)
})

test('says that the signature is in Authorization, if that is its scheme', async () => {
  const signed = service.sign()
  const headers = signed.headers.filter(([name]) => name !== 'Signature')
  const evidenceOf = async (value: string) =>
    (await verifyWith({}, { ...signed, headers: [...headers, ['Authorization', value]] })).failures[0]
  expect(await evidenceOf('signature keyId="k"')).toMatchObject({ evidence: { header: 'Authorization' } })
  expect(await evidenceOf('Bearer signature keyId="k"')).not.toHaveProperty('evidence')
})
