import { expect, test } from 'vitest'
import { createVerifier, logRecord } from '../../../src/index.ts'
import { memoryReplayStore } from '../../../src/replay/index.ts'
import { service } from '../../support/service.ts'

const KEYS = ['status', 'codes', 'accountId', 'keyId', 'algorithm', 'date', 'replayId', 'bodyLength']

test('a verified request: its facts, and not its content', async () => {
  const verify = createVerifier({ ...service.options, replayStore: memoryReplayStore() })
  const date = new Date(Math.floor(Date.now() / 1000) * 1000)
  const record = logRecord(await verify(service.sign({ body: 'secret', date })))
  expect(record).toStrictEqual({
    status: 'verified',
    codes: [],
    accountId: '1234',
    keyId: 'key1._domainkey.service.example',
    algorithm: 'rsa-sha256',
    date: date.toISOString(),
    replayId: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    bodyLength: 6
  })
  expect(Object.keys(record)).toEqual(KEYS)
})

test('a request that is not verified: status and codes, and nothing that the sender wrote', async () => {
  const verify = createVerifier(service.options)
  const request = { ...service.sign({ body: 'secret', host: 'evil.example' }), https: false }
  const record = logRecord(await verify(request))
  expect(record).toEqual({ status: 'rejected', codes: ['not-https', 'host-mismatch'] })
  expect(Object.keys(record)).toEqual(KEYS)
  expect(JSON.stringify(record)).toBe('{"status":"rejected","codes":["not-https","host-mismatch"]}')
})

test('a record can be changed without changing the verdict', async () => {
  const verdict = await createVerifier(service.options)({ ...service.sign(), https: false })
  ;(logRecord(verdict).codes as string[]).length = 0
  expect(verdict.failures).toHaveLength(1)
})
