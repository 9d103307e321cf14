import { describe, expect, test, vi } from 'vitest'
import { createVerifier, httpStatus, type VerifierOptions } from '../../../src/index.ts'
import { service, withHeaders } from '../../support/service.ts'
import { failuresOf } from '../../support/verdicts.ts'

const BODY = '{"event":"opened","id":7}'
const FIRST = ['(request-target)', 'host', 'date']

const verifierWith = (options: Partial<VerifierOptions> = {}) => createVerifier({ ...service.options, ...options })

/** Makes a body that counts how often it is asked for a chunk. */
function countedStream(chunks: readonly (string | Uint8Array)[]) {
  const counter = { reads: 0 }
  async function* read() {
    for (const chunk of chunks) {
      counter.reads++
      yield Buffer.from(chunk as string)
    }
  }
  return { counter, stream: { [Symbol.asyncIterator]: read } }
}

describe('a request signed like the sample of the specification', () => {
  test('a request signed like the sample of the specification is verified, with its values', async () => {
    const request = service.sign({ method: 'POST', target: '/hook?x=%2F', body: BODY })
    const verdict = await verifierWith()(request)
    expect(verdict).toMatchObject({
      status: 'verified',
      accountId: '1234',
      keyId: 'key1._domainkey.service.example',
      algorithm: 'rsa-sha256',
      replayId: undefined,
      body: new TextEncoder().encode(BODY),
      nonce: expect.stringMatching(/^[0-9a-f-]{36}$/),
      coveredHeaders: [...FIRST, 'content-length', 'content-type', 'x-service-id', 'digest', 'x-nonce']
    })
    expect(httpStatus(verdict)).toBe(200)
    expect(structuredClone(verdict).checks).toEqual(verdict.checks)
  })

  test('gives no nonce that is not covered', async () => {
    const verdict = await verifierWith()(service.sign({ covered: [...FIRST, 'X-Service-ID', 'Digest'] }))
    expect(verdict).toMatchObject({ status: 'verified', nonce: undefined })
  })
})

test('a local failure does not stop the other local checks, and causes no DNS query or body read', async () => {
  const lookupTxt = vi.fn(service.lookupTxt)
  const { counter, stream } = countedStream([BODY])
  const request = { ...service.sign({ body: BODY }), https: false, body: stream }
  const verdict = await verifierWith({ lookupTxt, accounts: '99' })(withHeaders(request, { Digest: 'MD5=eA==' }))
  expect(failuresOf(verdict)).toEqual(['https: not-https', 'account: account-mismatch', 'digest: digest-unsupported'])
  expect(lookupTxt).not.toHaveBeenCalled()
  expect(counter.reads).toBe(0)
})

describe('a streamed body', () => {
  test('a streamed body is read after the signature was verified, and returned', async () => {
    const { counter, stream } = countedStream([BODY.slice(0, 5), BODY.slice(5, 6), BODY.slice(6)])
    const verdict = await verifierWith()({ ...service.sign({ body: BODY }), body: stream })
    expect(verdict).toMatchObject({ status: 'verified', body: new TextEncoder().encode(BODY) })
    expect(counter.reads).toBe(3)
  })

  test('a streamed body is read no further than maxBodyBytes', async () => {
    const { counter, stream } = countedStream(Array(100).fill(new Uint8Array(1000)))
    const request = { ...service.sign({ body: new Uint8Array(100_000) }), body: stream }
    const verdict = await verifierWith({ maxBodyBytes: 2500 })(request)
    expect(failuresOf(verdict)).toEqual(['digest: body-too-large'])
    expect(httpStatus(verdict)).toBe(413)
    expect(counter.reads).toBe(3)
  })
})

describe('release', () => {
  const store = () => {
    const held = new Map<string, string>()
    return {
      held,
      claim: async (id: string, token: string) => !held.has(id) && held.set(id, token).has(id),
      release: async (id: string, token: string) => void (held.get(id) === token && held.delete(id))
    }
  }

  test('release lets a retry in, and frees no later claim when it is called twice', async () => {
    const replayStore = store()
    const verify = verifierWith({ replayStore })
    const request = service.sign()
    const first = await verify(request)
    await verify.release(first)
    expect((await verify(request)).status).toBe('verified')
    await verify.release(first)
    expect(failuresOf(await verify(request))).toEqual(['replay: replayed'])
  })

  test('release asks the store once, also when it is called twice at the same time', async () => {
    const replayStore = { ...store(), release: vi.fn(async () => {}) }
    const verify = verifierWith({ replayStore })
    const verdict = await verify(service.sign())
    await Promise.all([verify.release(verdict), verify.release(verdict)])
    expect(replayStore.release).toHaveBeenCalledOnce()
  })

  test('takes a store whose release returns no promise, or throws', async () => {
    const release = vi.fn().mockThrowOnce(new Error('gone'))
    const verify = verifierWith({ replayStore: { ...store(), release } })
    const verdict = await verify(service.sign())
    await expect(verify.release(verdict)).rejects.toThrow('gone')
    await verify.release(verdict)
    expect(release).toHaveBeenCalledTimes(2)
  })

  test('release can be tried again when the store could not be reached', async () => {
    const { held, claim, ...replayStore } = store()
    const release = vi.fn(replayStore.release).mockRejectedValueOnce(new Error('gone'))
    const verify = verifierWith({ replayStore: { claim, release } })
    const verdict = await verify(service.sign())
    await expect(verify.release(verdict)).rejects.toThrow('gone')
    await verify.release(verdict)
    expect(held.size).toBe(0)
  })

  test('release does nothing without a store, and for a refused request', async () => {
    const replayStore = { ...store(), release: vi.fn() }
    const [verify, without] = [verifierWith({ replayStore }), verifierWith({})]
    await verify.release(await verify({ ...service.sign(), https: false }))
    const unclaimed = await without(service.sign())
    await without.release(unclaimed)
    await verify.release(unclaimed)
    await without.release(await verify(service.sign()))
    expect(replayStore.release).not.toHaveBeenCalled()
  })

  test('rejects a copy of a verdict, which has no token, and the verdict of another verifier', async () => {
    const [verify, other] = [verifierWith({ replayStore: store() }), verifierWith({ replayStore: store() })]
    const verdict = await verify(service.sign())
    const rejection = expect.objectContaining({ name: 'TypeError', message: expect.stringContaining('a copy') })
    await expect(verify.release(structuredClone(verdict))).rejects.toEqual(rejection)
    await expect(other.release(verdict)).rejects.toEqual(rejection)
  })

  test('rejects a promise, and anything else that is not a verdict', async () => {
    const verify = verifierWith({})
    await expect(verify.release(verify(service.sign()) as never)).rejects.toThrow(
      'verify.release() got a Promise, so an await is missing'
    )
    await expect(verify.release({} as never)).rejects.toThrow(TypeError)
  })
})

describe('accounts', () => {
  const request = service.sign()

  const error = Object.assign(new Error('secret-token'), { code: 'EDB' })
  test.each([
    ['throws', vi.fn().mockThrow(new Error('secret-token'))],
    ['rejects with an error', () => Promise.reject(error)],
    ['rejects with nothing', () => Promise.reject(null)]
  ])('accounts cannot be decided by a function that %s', async (_, accounts) => {
    const lookupTxt = vi.fn(service.lookupTxt)
    const verdict = await verifierWith({ accounts: accounts as never, lookupTxt })(request)
    expect(verdict.status).toBe('unavailable')
    expect(failuresOf(verdict)).toEqual(['account: account-check-failed'])
    expect(JSON.stringify(verdict)).not.toContain('secret-token')
    expect(structuredClone(verdict)).not.toHaveProperty('failures.0.cause')
    expect(lookupTxt).toHaveBeenCalledOnce()
  })

  test('accounts are asked only after the signature has verified, so that an attacker causes no I/O', async () => {
    const accounts = vi.fn(() => true)
    const verify = verifierWith({ accounts })
    const forged = await verify({ ...request, target: '/other' })
    expect(failuresOf(forged)).toEqual(['signature: signature-mismatch'])
    const insecure = await verify({ ...request, https: false })
    expect(failuresOf(insecure)).toEqual(['https: not-https'])
    const reason = 'the accounts function is called after the signature has verified'
    for (const { checks } of [forged, insecure]) expect(checks.account).toEqual({ outcome: 'not-run', reason })
    expect(accounts).not.toHaveBeenCalled()
    expect((await verify(request)).status).toBe('verified')
    expect(accounts).toHaveBeenCalledExactlyOnceWith('1234')
  })
})
