import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { service, withHeaders } from '../../test/support/service.ts'
import { createLineWriter, logText } from '../src/log.ts'
import { createRequestLog } from '../src/request-log.ts'
import { exchangeOf } from './support/exchanges.ts'

const signed = service.sign({ method: 'POST', target: '/secret' })
const unsigned = withHeaders(signed, { Signature: undefined })

const of = async (request: typeof signed, form: 'json' | 'text') => {
  const changes = { receivedAt: 0, duration: 1.6, requestId: 'id-1', status: 401, upstream: 'not-asked' } as const
  const lines: string[] = []
  createRequestLog(form, line => lines.push(line))(await exchangeOf(request, changes))
  return lines.join('\n')
}

const forged = { ...signed, headers: [...signed.headers, ['Date', 'secret\u001b[31m']] as const }

test('JSON has codes, claims and the likely cause of an unverified request, and nothing else of it', async () => {
  const line = await of(forged as never, 'json')
  expect(line).toMatch(/^[ -~]*$/)
  expect(line).not.toContain('secret')
  expect(JSON.parse(line)).toEqual({
    ...{ time: '1970-01-01T00:00:00.000Z', requestId: 'id-1', status: 'rejected' },
    ...{ codes: ['date-repeated'], code: 'date-repeated', signedUnderDomain: true },
    ...{ claimedKeyId: 'key1._domainkey.service.example', claimedAccountId: '1234', claimedHost: 'receiver.example' },
    ...{ httpStatus: 401, upstream: 'not-asked', ms: 2, cause: expect.any(String), fix: expect.any(String) }
  })
})

test('text explains a refusal in printable ASCII, and a verified request is one line', async () => {
  const text = await of(forged as never, 'text')
  expect(text).toMatch(/^1970-01-01T00:00:00\.000Z 401 rejected date-repeated not-asked 2 ms id-1\nrejected: date\n/)
  expect(text).toMatch(/^[ -~\n]*$/)
  expect(await of(signed, 'text')).toBe('1970-01-01T00:00:00.000Z 401 verified not-asked 2 ms id-1')
})

test('a body that was dropped when the application had it is logged with its length', async () => {
  const exchange = await exchangeOf(service.sign({ body: '{"id":1}' }), { bodyLength: 20_000, body: undefined })
  expect(JSON.parse(logText(exchange, 'json'))).toMatchObject({ status: 'verified', bodyLength: 20_000 })
})

test('names the flag of this command line in a fix', async () => {
  const elsewhere = service.sign({ target: '/', host: 'elsewhere.example' })
  const text = await of(elsewhere, 'text')
  expect(text).toMatch(/--host\s+elsewhere\.example/)
  expect(text).not.toContain('hosts:')
})

test('says that a request had no Signature under the domain, which most scanners have not', async () => {
  expect(await of(unsigned, 'json')).toContain('"signedUnderDomain":false')
  expect(await of(unsigned, 'text')).toContain('(no signature under the domain)')
})

describe('a request under another domain', () => {
  const elsewhere = async (keyId: string) => {
    const request = withHeaders(signed, { Signature: value => value.replace(/keyId="[^"]*"/, `keyId="${keyId}"`) })
    return JSON.parse(await of(request, 'json'))
  }

  test('a request under another domain is said to be one in the text, too', async () => {
    const request = withHeaders(signed, { Signature: value => value.replace('service.example', 'other.example') })
    expect(await of(request, 'text')).toContain(' (signed under another domain) ')
  })

  test('a request under another domain has in JSON the name of its key, as a claim, and what to ask', async () => {
    const line = await elsewhere('One._domainkey.Other.example')
    expect(line).toMatchObject({ status: 'rejected', claimedKeyId: 'One._domainkey.Other.example' })
    expect(line.finding).toMatch(/^signed under a domain other than --domain: ask/)
    expect(line.keyId).toBeUndefined()
  })

  test('a request under another domain has no claim that is not visible ASCII of at most 255 characters', async () => {
    for (const keyId of ['a b', 'a\u001b[31m', 'k\u00e9', `${'a.'.repeat(5000)}example`, '', '{}']) {
      const { claimedKeyId = '' } = await elsewhere(keyId)
      expect(claimedKeyId).toMatch(/^[!-~]{0,255}$/)
    }
  })

  test('a request without a signature claims an account and no key, and a verified one claims nothing', async () => {
    const verified = JSON.parse(await of(signed, 'json'))
    expect(verified).not.toHaveProperty('claimedKeyId')
    expect(verified).not.toHaveProperty('claimedAccountId')
    expect(JSON.parse(await of(unsigned, 'json'))).toMatchObject({
      claimedAccountId: '1234',
      code: 'signature-missing'
    })
    expect(JSON.parse(await of(unsigned, 'json'))).not.toHaveProperty('claimedKeyId')
  })
})

test('text has the corrected record of a key record with an empty tag', async () => {
  const [record = ''] = Object.values(service.records).flat(2)
  const changes = { receivedAt: 0, status: 401, upstream: 'not-asked' } as const
  const options = { lookupTxt: async () => [[record.replace(';', ';;')]] }
  const lines: string[] = []
  createRequestLog('text', line => lines.push(line))(await exchangeOf(signed, changes, options))
  const text = lines.join()
  expect(text.replace(/\n +/g, '')).toContain(`corrected record: ${record}`)
})

const scanner = { method: 'GET', target: '/.env', headers: [['Host', 'x']], body: null, https: false }

test('a request with nothing signed is one line that says so, whatever else it lacks', async () => {
  const json = JSON.parse(await of(scanner as never, 'json'))
  expect(json.codes).toHaveLength(6)
  expect(json.finding).toMatch(/^not signed: /)
  const text = await of(scanner as never, 'text')
  const line = '401 rejected signature-missing (no signature under the domain) not-asked 2 ms id-1'
  expect(text).toBe(`1970-01-01T00:00:00.000Z ${line}: ${json.finding}`)
})

test('a request that has its signature in Authorization is not called unsigned', async () => {
  const headers = [...scanner.headers, ['Authorization', 'Signature keyId="a"']]
  for (const https of [false, true])
    expect(JSON.parse(await of({ ...scanner, headers, https } as never, 'json')).finding).toBeUndefined()
})

test('a request whose Signature a proxy dropped has all its failures', async () => {
  expect(await of({ ...unsigned, https: false }, 'text')).toContain(' rejected not-https signature-missing ')
})

test('what was not HTTP that can be forwarded has a line, too', () => {
  const malformed = { receivedAt: 0, status: 400, upstream: 'malformed', reason: 'target' } as const
  expect(logText(malformed, 'text')).toBe('1970-01-01T00:00:00.000Z 400 malformed target')
  expect(JSON.parse(logText(malformed, 'json'))).toEqual({
    ...{ time: '1970-01-01T00:00:00.000Z', status: 'malformed', reason: 'target' },
    ...{ httpStatus: 400, upstream: 'malformed' }
  })
})

describe('createLineWriter', () => {
  /** Makes a stream whose reader takes the next write when it is told to. */
  function stalled() {
    const written: string[] = []
    let go = () => {}
    const stream = new Writable({
      write(chunk, _encoding, callback) {
        written.push(String(chunk))
        go = callback
      }
    })
    return { stream, written, read: () => go() }
  }
  const turn = () => new Promise(setImmediate)

  test('writes the lines of a turn at once', async () => {
    const { stream, written } = stalled()
    const { print } = createLineWriter(stream)
    for (const line of ['one', 'two']) print(line)
    expect(written).toEqual([])
    await turn()
    expect(written).toEqual(['one\ntwo\n'])
  })

  test('writes the lines of the last turn when the process ends', () => {
    const { stream, written } = stalled()
    const { print, flush } = createLineWriter(stream)
    print('last')
    flush()
    expect(written).toEqual(['last\n'])
  })

  test('drops and counts lines while its reader has stalled', async () => {
    const { stream, written, read } = stalled()
    const { print } = createLineWriter(stream, 20)
    for (let i = 0; i < 10; i++) {
      for (let j = 0; j < 10; j++) print('0123456789')
      await turn()
    }
    expect(stream.writableLength).toBeLessThan(50)
    while (stream.writableLength > 0) read()
    print('later')
    await turn()
    read()
    const lines = written.join('').split('\n')
    const dropped = 100 - lines.filter(line => line === '0123456789').length
    expect(lines.slice(-3)).toEqual([`{"droppedLines":${dropped}}`, 'later', ''])
  })

  test('outlives its reader', async () => {
    const stream = new Writable({ write: (_chunk, _encoding, callback) => callback(new Error('EPIPE')) })
    const { print } = createLineWriter(stream)
    print('one')
    await turn()
    await turn()
    print('two')
    await turn()
    expect(stream.destroyed).toBe(true)
  })
})
