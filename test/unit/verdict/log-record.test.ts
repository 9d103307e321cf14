import { expect, test } from 'vitest'
import { createVerifier, logRecord } from '../../../src/index.ts'
import { memoryReplayStore } from '../../../src/replay/index.ts'
import { service } from '../../support/service.ts'

const KEYS = ['status', 'codes', 'accountId', 'keyId', 'algorithm', 'date', 'replayId', 'bodyLength']

test('a verified request: its facts, and not its content', async () => {
  const verify = createVerifier({ ...service.options, replayStore: memoryReplayStore() })
  const date = new Date(Math.floor(Date.now() / 1000) * 1000)
  const verdict = await verify(service.sign({ method: 'POST', body: 'secret', date }))
  expect(logRecord(verdict)).toStrictEqual({
    status: 'verified',
    codes: [],
    accountId: '1234',
    keyId: 'key1._domainkey.service.example',
    algorithm: 'rsa-sha256',
    date: date.toISOString(),
    replayId: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    bodyLength: 6
  })
  expect(JSON.stringify(logRecord(verdict))).not.toContain('secret')
})

test('a request that is not verified: status and codes, and nothing that the sender wrote', async () => {
  const verify = createVerifier(service.options)
  const request = service.sign({ method: 'POST', body: 'secret', host: 'evil.example' })
  const record = logRecord(await verify({ ...request, https: false }))
  expect(record).toEqual({ status: 'rejected', codes: ['not-https', 'host-mismatch'] })
  expect(Object.keys(record)).toEqual(KEYS)
  expect(JSON.stringify(record)).toBe('{"status":"rejected","codes":["not-https","host-mismatch"]}')

  const changed = logRecord(await verify({ ...request, target: '/other' }))
  expect(JSON.stringify(changed)).not.toMatch(/evil|secret|other/)
})

test('the keys are the same for every verdict, and flat', async () => {
  const lookupTxt = () => Promise.reject(new Error('down'))
  const verdicts = [
    await createVerifier(service.options)(service.sign()),
    await createVerifier({ ...service.options, lookupTxt })(service.sign())
  ]
  for (const record of verdicts.map(logRecord)) {
    expect(Object.keys(record)).toEqual(KEYS)
    const { codes, ...rest } = record
    expect(codes.every(code => typeof code === 'string')).toBe(true)
    for (const value of Object.values(rest)) expect(value).not.toBeTypeOf('object')
  }
})

test('a record can be changed without changing the verdict', async () => {
  const verdict = await createVerifier(service.options)({ ...service.sign(), https: false })
  ;(logRecord(verdict).codes as string[]).length = 0
  expect(verdict.failures).toHaveLength(1)
})
