import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { createVerifier, logRecord } from '../../../../src/index.ts'
import { memoryReplayStore } from '../../../../src/replay/index.ts'
import { linesOf, service, withSignature } from '../../../support/service.ts'

const KEYS = [
  ...['status', 'codes', 'code', 'signedUnderDomain', 'accountId', 'keyId', 'algorithm', 'date', 'replayId'],
  ...['bodyLength', 'claimedKeyId', 'claimedAccountId', 'claimedHost']
]

test('a verified request: its facts, and not its content', async () => {
  const verify = createVerifier({ ...service.options, replayStore: memoryReplayStore() })
  const date = new Date(Math.floor(Date.now() / 1000) * 1000)
  const record = logRecord(await verify(service.sign({ body: 'secret', date })))
  expect(record).toStrictEqual({
    status: 'verified',
    codes: [],
    code: undefined,
    signedUnderDomain: true,
    accountId: '1234',
    keyId: 'key1._domainkey.service.example',
    algorithm: 'rsa-sha256',
    date: date.toISOString(),
    replayId: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    bodyLength: 6,
    claimedKeyId: undefined,
    claimedAccountId: undefined,
    claimedHost: undefined
  })
  expect(Object.keys(record)).toEqual(KEYS)
})

test('a request that is not verified: codes, the main one, and the key and account that it claims', async () => {
  const verify = createVerifier(service.options)
  const request = { ...service.sign({ body: 'secret', host: 'evil.example' }), https: false }
  const record = logRecord(await verify(request))
  expect(record).toEqual({
    status: 'rejected',
    codes: ['not-https', 'host-mismatch'],
    code: 'not-https',
    signedUnderDomain: true,
    claimedKeyId: 'key1._domainkey.service.example',
    claimedAccountId: '1234',
    claimedHost: 'evil.example'
  })
  expect(Object.keys(record)).toEqual(KEYS)
  expect(JSON.stringify(record)).not.toContain('secret')
})

test('a scanner: its main code, whatever else it lacks, and no claim but its Host', async () => {
  const scanner = { method: 'POST', target: '/', headers: [['Host', 'x']], body: null, https: false } as const
  expect(logRecord(await createVerifier(service.options)(scanner))).toMatchObject({
    code: 'signature-missing',
    signedUnderDomain: false,
    claimedKeyId: undefined,
    claimedAccountId: undefined,
    claimedHost: 'x'
  })
})

test.each([
  ['1234', 'account-1234', '1234'],
  ['without the prefix', 'team-7', 'team-7'],
  ['the prefix alone', 'account-', undefined],
  ['an escape sequence', 'account-\u001b[31m', '?[31m'],
  ['another alphabet', 'account-\u00e9\u202e', '??'],
  ['text that would pass for more of the line', 'account-1 status=verified', '1?status=verified'],
  ['5,000 characters', `account-${'7'.repeat(5000)}`, '7'.repeat(255)],
  ['two lines', ['account-1', 'account-2'], '1,?account-2']
])('the claimed account is visible ASCII and short: %s', async (_, sent, claimed) => {
  const lines = [sent].flat().map(value => ['X-Service-ID', value] as const)
  const headers = [...linesOf(service.sign()).filter(([name]) => name !== 'X-Service-ID'), ...lines]
  const verdict = await createVerifier(service.options)({ ...service.sign(), headers, https: false })
  expect(logRecord(verdict).claimedAccountId).toBe(claimed)
})

test.each([
  ['under another domain', 'One._domainkey.Other.example', 'One._domainkey.Other.example', false],
  ['not a name', 'a b\u001b', 'a?b?', false],
  ['10,000 characters', 'a.'.repeat(5000), 'a.'.repeat(5000).slice(0, 255), false],
  ['under the domain', 'KEY9._domainkey.service.example.', 'KEY9._domainkey.service.example.', true]
])('the claimed key is visible ASCII and short: %s', async (_, keyId, claimedKeyId, signedUnderDomain) => {
  const request = withSignature(service.sign(), value => value.replace(/keyId="[^"]*"/, () => `keyId="${keyId}"`))
  expect(logRecord(await createVerifier(service.options)(request))).toMatchObject({ claimedKeyId, signedUnderDomain })
})

test('a verdict shows nothing of what was observed: to a comparison, a copy, a log or a clone', async () => {
  const verdict = await createVerifier(service.options)({ ...service.sign(), https: false })
  expect(Reflect.ownKeys(verdict)).toEqual(['status', 'failures', 'checks'])
  expect(structuredClone(verdict)).toStrictEqual(verdict)
  expect(inspect(verdict, { showHidden: true, depth: 9 })).not.toContain('key1')
  expect(logRecord({ ...verdict })).toMatchObject({ code: 'not-https', claimedKeyId: undefined })
})

test('a record can be changed without changing the verdict', async () => {
  const verdict = await createVerifier(service.options)({ ...service.sign(), https: false })
  ;(logRecord(verdict).codes as string[]).length = 0
  expect(verdict.failures).toHaveLength(1)
})

test.each([
  ['a.example:8443', 'a.example:8443'],
  ['\u001b[31m.example', '?[31m.example'],
  ['a'.repeat(5000), 'a'.repeat(255)],
  ['', undefined]
])('the claimed Host is visible ASCII and short: %j', async (host, claimedHost) => {
  const headers = linesOf(service.sign()).map(([name, value]) => [name, name === 'Host' ? host : value] as const)
  const record = logRecord(await createVerifier(service.options)({ ...service.sign(), headers }))
  expect(record.claimedHost).toBe(claimedHost)
})
