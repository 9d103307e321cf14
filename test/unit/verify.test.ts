import { describe, expect, it, vi } from 'vitest'
import {
  type CheckName,
  createVerifier,
  httpStatus,
  type ReceivedRequest,
  type Verdict,
  type VerifierOptions
} from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'

const service = createTestService({ rsaBits: 1024 })
const BODY = '{"event":"opened","id":7}'

const verifierWith = (options: Partial<VerifierOptions> = {}) =>
  createVerifier({ ...service.options, ...options })
const codesOf = (verdict: Verdict): string[] =>
  verdict.status === 'verified' ? [] : verdict.failures.map(failure => `${failure.check}: ${failure.code}`)

/** The signed request with header lines replaced, added (the name is new) or removed (undefined). */
function withHeaders(request: ReceivedRequest, changes: Record<string, string | undefined>): ReceivedRequest {
  const lines = [...(request.headers as Iterable<readonly [string, string]>)]
  const names = Object.keys(changes).map(name => name.toLowerCase())
  const kept = lines.filter(([name]) => !names.includes(name.toLowerCase()))
  const added = Object.entries(changes).filter((line): line is [string, string] => line[1] !== undefined)
  return { ...request, headers: [...kept, ...added] }
}

/** A body that counts how often it is asked for a chunk. */
function countedStream(chunks: readonly (string | Uint8Array)[]) {
  const counter = { reads: 0 }
  async function* read() {
    for (const chunk of chunks) {
      counter.reads++
      yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    }
  }
  return { counter, stream: { [Symbol.asyncIterator]: read } }
}

describe('a request signed like the sample of the specification', () => {
  it('is verified, with everything the receiver needs', async () => {
    const request = service.sign({ method: 'POST', target: '/hook?x=%2F', body: BODY })
    const verdict = await verifierWith()(request)
    expect(verdict).toMatchObject({
      status: 'verified',
      accountId: '1234',
      keyId: 'key1._domainkey.service.example',
      algorithm: 'rsa-sha256',
      replayId: undefined
    })
    if (verdict.status !== 'verified') return
    expect(Buffer.from(verdict.body).toString()).toBe(BODY)
    expect(verdict.nonce).toMatch(/^[0-9a-f-]{36}$/)
    expect(verdict.coveredHeaders).toEqual([
      '(request-target)',
      'host',
      'date',
      'content-length',
      'content-type',
      'x-service-id',
      'digest',
      'x-nonce'
    ])
    expect(httpStatus(verdict)).toBe(200)
    expect(structuredClone(verdict).checks).toEqual(verdict.checks)
  })

  it('has all twelve checks in its verdict, in the order of the table', async () => {
    const verdict = await verifierWith()(service.sign())
    expect(Object.keys(verdict.checks)).toEqual([
      'request',
      'https',
      'date',
      'host',
      'account',
      'signature-header',
      'coverage',
      'key-name',
      'key',
      'signature',
      'digest',
      'replay'
    ])
    expect(verdict.checks.replay.outcome).toBe('not-run')
  })

  it('is verified however its headers are given', async () => {
    const request = service.sign({ body: BODY })
    const lines = [...(request.headers as [string, string][])]
    const verify = verifierWith()
    for (const headers of [
      lines,
      new Map(lines),
      new Headers(lines),
      Object.fromEntries(lines),
      Object.fromEntries(lines.map(([name, value]) => [name.toLowerCase(), [value]]))
    ]) {
      expect(codesOf(await verify({ ...request, headers }))).toEqual([])
    }
  })

  it('gives no nonce that is not covered', async () => {
    const covered = ['(request-target)', 'Host', 'Date', 'X-Service-ID', 'Digest']
    const verdict = await verifierWith()(service.sign({ covered }))
    expect(verdict).toMatchObject({ status: 'verified', nonce: undefined })
  })
})

describe('each check fails alone', () => {
  const request = service.sign({ body: BODY })
  const cases: [CheckName, string, () => Promise<Verdict>][] = [
    ['request', 'request-malformed', () => verifierWith()(withHeaders(request, { 'X Y': 'no token' }))],
    ['https', 'not-https', () => verifierWith()({ ...request, https: false })],
    ['date', 'date-too-old', () => verifierWith({ now: () => Date.now() + 3_600_000 })(request)],
    ['date', 'date-in-future', () => verifierWith({ now: () => Date.now() - 3_600_000 })(request)],
    ['host', 'host-mismatch', () => verifierWith({ hosts: 'other.example' })(request)],
    ['account', 'account-mismatch', () => verifierWith({ accounts: '99' })(request)],
    [
      'signature-header',
      'signature-missing',
      () => verifierWith()(withHeaders(request, { Signature: undefined }))
    ],
    [
      'coverage',
      'coverage-insufficient',
      () => verifierWith()(service.sign({ covered: ['(request-target)', 'Host', 'Date', 'X-Service-ID'] }))
    ],
    ['key-name', 'key-name-outside-domain', () => verifierWith({ serviceDomain: 'other.example' })(request)],
    ['key', 'key-not-found', () => verifierWith({ lookupTxt: async () => [] })(request)],
    ['signature', 'signature-mismatch', () => verifierWith()({ ...request, target: '/other' })],
    ['digest', 'digest-mismatch', () => verifierWith()({ ...request, body: `${BODY} ` })]
  ]
  it.each(cases)('%s: %s', async (check, code, run) => {
    const verdict = await run()
    expect(verdict.status).toBe('rejected')
    expect(codesOf(verdict)).toEqual([`${check}: ${code}`])
    expect(httpStatus(verdict)).toBe(401)
    for (const result of Object.values(verdict.checks)) {
      if (result.outcome === 'not-run') expect(result.reason).not.toBe('')
    }
  })
})

describe('a local failure', () => {
  it('does not stop the other local checks, and causes no DNS query or body read', async () => {
    const lookupTxt = vi.fn(service.lookupTxt)
    const { counter, stream } = countedStream([BODY])
    const request = { ...service.sign({ body: BODY }), https: false, body: stream }
    const verdict = await verifierWith({ lookupTxt, accounts: '99' })(
      withHeaders(request, { Digest: 'MD5=eA==' })
    )
    expect(codesOf(verdict)).toEqual([
      'https: not-https',
      'account: account-mismatch',
      'digest: digest-unsupported'
    ])
    expect(lookupTxt).not.toHaveBeenCalled()
    expect(counter.reads).toBe(0)
  })

  it('of the request itself leaves every other check not run', async () => {
    const verdict = await verifierWith()({ ...service.sign(), target: '/a\r\nx: y' })
    expect(codesOf(verdict)).toEqual(['request: request-malformed'])
    const { request: _, ...others } = verdict.checks
    expect(Object.values(others).every(result => result.outcome === 'not-run')).toBe(true)
  })

  it('is reported once when a covered time has no parameter', async () => {
    const request = service.sign()
    const [, value] = [...(request.headers as [string, string][])].find(([name]) => name === 'Signature')!
    const Signature = value.replace('headers="', 'headers="(created) ').replace('rsa-sha256', 'hs2019')
    const verdict = await verifierWith({ algorithms: ['hs2019'] })(withHeaders(request, { Signature }))
    expect(codesOf(verdict)).toEqual(['signature-header: signature-parameter-missing'])
    expect(verdict.checks.coverage.outcome).toBe('not-run')
  })

  it('cannot be hidden by a line break that makes one signed line pose as two', async () => {
    const covered = ['(request-target)', 'Host', 'Date', 'X-Service-ID', 'Digest', 'X-A', 'X-B']
    const signed = service.sign({ headers: { 'X-A': '1', 'X-B': '2' }, covered })
    const lines = Object.fromEntries(signed.headers as [string, string][])
    const forged = { ...lines, 'X-A': '1\nx-b: 2', Signature: lines['Signature']!.replace(' X-B"', '"') }
    delete (forged as Record<string, string>)['X-B']
    const verdict = await verifierWith()({ ...signed, headers: forged })
    expect(codesOf(verdict)).toEqual(['request: request-malformed'])
  })
})

describe('a streamed body', () => {
  it('is read after the signature was verified, and returned', async () => {
    const { counter, stream } = countedStream([BODY.slice(0, 5), BODY.slice(5, 6), BODY.slice(6)])
    const verdict = await verifierWith()({ ...service.sign({ body: BODY }), body: stream })
    expect(verdict.status).toBe('verified')
    expect(counter.reads).toBe(3)
    if (verdict.status === 'verified') expect(Buffer.from(verdict.body).toString()).toBe(BODY)
  })

  it('is not read when the signature does not verify', async () => {
    const { counter, stream } = countedStream([BODY])
    const request = { ...service.sign({ body: BODY }), target: '/forged', body: stream }
    expect(codesOf(await verifierWith()(request))).toEqual(['signature: signature-mismatch'])
    expect(counter.reads).toBe(0)
  })

  it('is read no further than maxBodyBytes', async () => {
    const chunk = new Uint8Array(1000)
    const { counter, stream } = countedStream(Array.from({ length: 100 }, () => chunk))
    const request = { ...service.sign({ body: new Uint8Array(100_000) }), body: stream }
    const verdict = await verifierWith({ maxBodyBytes: 2500 })(request)
    expect(codesOf(verdict)).toEqual(['digest: body-too-large'])
    expect(httpStatus(verdict)).toBe(413)
    expect(counter.reads).toBe(3)
  })

  it('may be as large as maxBodyBytes, given or streamed', async () => {
    const body = new Uint8Array(2500)
    const verify = verifierWith({ maxBodyBytes: 2500 })
    const request = service.sign({ body })
    expect(codesOf(await verify(request))).toEqual([])
    expect(codesOf(await verify({ ...request, body: countedStream([body]).stream }))).toEqual([])
    const larger = service.sign({ body: new Uint8Array(2501) })
    expect(codesOf(await verify(larger))).toEqual(['digest: body-too-large'])
  })

  it('that breaks is unavailable, not rejected', async () => {
    async function* broken() {
      yield Buffer.from(BODY.slice(0, 5))
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    }
    const verdict = await verifierWith()({ ...service.sign({ body: BODY }), body: broken() })
    expect(verdict.status).toBe('unavailable')
    expect(codesOf(verdict)).toEqual(['digest: body-unreadable'])
    expect(httpStatus(verdict)).toBe(503)
  })
})

describe('the clock', () => {
  it('is read again when the body has been read, without a replay store too', async () => {
    const times = [0, 3_600_000]
    const verify = verifierWith({ now: () => Date.now() + times.shift()! })
    const verdict = await verify(service.sign({ body: BODY }))
    expect(codesOf(verdict)).toEqual(['date: date-too-old'])
    expect(verdict.checks.digest).toEqual({ outcome: 'pass' })
    expect(times).toEqual([])
  })
})

describe('release', () => {
  const store = () => {
    const held = new Set<string>()
    return {
      held,
      claim: async (id: string) => !held.has(id) && held.add(id).has(id),
      release: async (id: string) => void held.delete(id)
    }
  }

  it('lets a retry in, and frees no later claim when it is called twice', async () => {
    const replayStore = store()
    const verify = verifierWith({ replayStore })
    const request = service.sign()
    const first = await verify(request)
    await verify.release(first)
    expect((await verify(request)).status).toBe('verified')
    await verify.release(first)
    expect(codesOf(await verify(request))).toEqual(['replay: replayed'])
  })

  it('can be tried again when the store could not be reached', async () => {
    const replayStore = store()
    const release = vi.fn(replayStore.release).mockRejectedValueOnce(new Error('gone'))
    const verify = verifierWith({ replayStore: { claim: replayStore.claim, release } })
    const verdict = await verify(service.sign())
    await expect(verify.release(verdict)).rejects.toThrow('gone')
    await verify.release(verdict)
    expect(replayStore.held.size).toBe(0)
  })

  it('does nothing without a store, and for a refused request', async () => {
    const replayStore = { ...store(), release: vi.fn() }
    const verify = verifierWith({ replayStore })
    await verify.release(await verify({ ...service.sign(), https: false }))
    const without = verifierWith({})
    const unclaimed = await without(service.sign())
    await without.release(unclaimed)
    await verify.release(unclaimed)
    await without.release(await verify(service.sign()))
    expect(replayStore.release).not.toHaveBeenCalled()
  })

  it('rejects a promise, and anything else that is not a verdict', async () => {
    const verify = verifierWith({})
    await expect(verify.release(verify(service.sign()) as never)).rejects.toThrow(
      'verify.release() got a Promise, so an await is missing'
    )
    await expect(verify.release({} as never)).rejects.toThrow(TypeError)
  })
})

describe('accounts', () => {
  const request = service.sign()
  it('can be decided by a function, at once or later', async () => {
    expect((await verifierWith({ accounts: id => id === '1234' })(request)).status).toBe('verified')
    expect((await verifierWith({ accounts: async id => id === '1234' })(request)).status).toBe('verified')
    expect(codesOf(await verifierWith({ accounts: async () => false })(request))).toEqual([
      'account: account-mismatch'
    ])
    expect(codesOf(await verifierWith({ accounts: () => 'yes' as never })(request))).toEqual([
      'account: account-check-failed'
    ])
  })

  it('cannot be decided by a function that fails', async () => {
    const failing = [
      () => {
        throw new Error('secret-token')
      },
      () => Promise.reject(Object.assign(new Error('secret-token'), { code: 'EDB' })),
      () => Promise.reject(null)
    ]
    for (const accounts of failing) {
      const lookupTxt = vi.fn(service.lookupTxt)
      const verdict = await verifierWith({ accounts: accounts as never, lookupTxt })(request)
      expect(verdict.status).toBe('unavailable')
      expect(codesOf(verdict)).toEqual(['account: account-check-failed'])
      expect(JSON.stringify(verdict)).not.toContain('secret-token')
      expect(structuredClone(verdict)).not.toHaveProperty('failures.0.cause')
      expect(lookupTxt).toHaveBeenCalledOnce()
    }
  })

  it('are asked only after the signature has verified, so that a stranger causes no I/O', async () => {
    const accounts = vi.fn(() => true)
    const verify = verifierWith({ accounts })
    const forged = await verify({ ...request, target: '/other' })
    expect(codesOf(forged)).toEqual(['signature: signature-mismatch'])
    const insecure = await verify({ ...request, https: false })
    expect(codesOf(insecure)).toEqual(['https: not-https'])
    for (const { checks } of [forged, insecure]) {
      expect(checks.account).toEqual({
        outcome: 'not-run',
        reason: 'the accounts function is asked after the signature has verified'
      })
    }
    expect(accounts).not.toHaveBeenCalled()
    expect((await verify(request)).status).toBe('verified')
    expect(accounts).toHaveBeenCalledExactlyOnceWith('1234')
  })
})

describe("a programmer's mistake", () => {
  it.each([
    ['nothing', undefined],
    ['a parsed body', { ...service.sign(), body: { event: 'opened' } }],
    ['no body', { ...service.sign(), body: undefined }],
    ['an ArrayBuffer', { ...service.sign(), body: new ArrayBuffer(2) }],
    ['a number as method', { ...service.sign(), method: 1 }],
    ['no target', { ...service.sign(), target: undefined }],
    ['no headers', { ...service.sign(), headers: null }],
    ['flat rawHeaders', { ...service.sign(), headers: ['Host', 'receiver.example'] }],
    ['a number as header', { ...service.sign(), headers: { host: 1 } }],
    ['https as text', { ...service.sign(), https: 'yes' }]
  ])('%s rejects with a TypeError', async (_, request) => {
    await expect(verifierWith()(request as never)).rejects.toThrow(TypeError)
  })

  it('in a stream of text, too', async () => {
    async function* text() {
      yield BODY
    }
    const request = { ...service.sign({ body: BODY }), body: text() as never }
    await expect(verifierWith()(request)).rejects.toThrow(/setEncoding/)
  })

  it.each([
    ['serviceDomain', undefined],
    ['serviceDomain', 'not a name'],
    ['hosts', undefined],
    ['hosts', []],
    ['hosts', 'https://receiver.example/'],
    ['accounts', undefined],
    ['accounts', []],
    ['accounts', 1234],
    ['accountHeader', 'X Service'],
    ['accountPrefix', 7],
    ['requireHttps', 'false'],
    ['dateTolerance', -1],
    ['dateTolerance', Number.NaN],
    ['algorithms', []],
    ['algorithms', ['none']],
    ['algorithms', ['constructor']],
    ['alsoCovered', 'Content-Type'],
    ['minRsaBits', 9000],
    ['maxBodyBytes', '10mb'],
    ['lookupTxt', 'dns'],
    ['lookupTimeout', 0],
    ['lookupTimeout', 2 ** 31],
    ['replayStore', {}],
    ['now', 5],
    ['requireHTTPS', false]
  ])('in the option %s (%j) throws at once', (name, value) => {
    expect(() => createVerifier({ ...service.options, [name]: value } as never)).toThrow(TypeError)
  })
})
