import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { fail, ok } from '../../../../src/core/result/result.ts'
import { type Returned, refuse } from '../../../../src/core/verdict/refuse.ts'
import type { Verified } from '../../../../src/core/verdict/verdict.ts'
import { assertVerified, createVerifier, httpStatus, NotVerifiedError, type Verdict } from '../../../../src/index.ts'
import { service } from '../../../support/service.ts'

const options = { ...service.options, requireHttps: false, maxBodyBytes: 20 }
const verify = createVerifier(options)
const verifyWithoutDns = createVerifier({ ...options, lookupTxt: () => Promise.reject(new Error('down')) })

const EVIL = 'evil-sender.example'
const good = service.sign({ body: '{}' })
const forged = service.sign({ body: '{}', host: EVIL })
const large = service.sign({ body: 'x'.repeat(21) })

const errorFor = (verdict: Verdict): NotVerifiedError => {
  try {
    assertVerified(verdict)
  } catch (error) {
    if (error instanceof NotVerifiedError) return error
  }
  throw new Error('it did not throw a NotVerifiedError')
}

describe('assertVerified', () => {
  test('returns for a verified verdict, and narrows its type', async () => {
    const verdict: Verdict = await verify(good)
    assertVerified(verdict)
    expect(verdict.accountId).toBe('1234')
  })

  test.each([
    ['rejected', verify, forged, 401, 'the request was not verified: host-mismatch'],
    ['too large', verify, large, 413, 'the request was not verified: body-too-large'],
    ['unavailable', verifyWithoutDns, good, 503, 'the request could not be verified now: key-lookup-failed']
  ])('throws for a verdict that is %s', async (_, judge, request, status, message) => {
    const verdict = await judge(request)
    const error = errorFor(verdict)
    const code = 'ERR_NOT_VERIFIED'
    expect(error).toMatchObject({ name: 'NotVerifiedError', code, message, status, statusCode: status, expose: false })
    expect(error.verdict).toBe(verdict)
    expect(status).toBe(httpStatus(verdict))
    expect(error.stack).toMatch(/^NotVerifiedError: the request/)
  })

  test('lists every code, and has a name like the errors of JavaScript', () => {
    const steps = { date: fail('date-missing'), replay: fail('replayed', { replayId: 'r' }) }
    const error = new NotVerifiedError(refuse(steps, ''))
    expect(error.message).toBe('the request was not verified: date-missing, replayed')
    const name = { value: 'NotVerifiedError', enumerable: false, configurable: true, writable: true }
    expect(Object.getOwnPropertyDescriptor(error, 'name')).toEqual(name)
    expect(error.stack).not.toContain('new NotVerifiedError')
  })

  test('throws an error that prints no verdict and nothing from the sender', async () => {
    const error = errorFor(await verify(forged))
    const printed = [error.message, error.stack, String(error), JSON.stringify(error), inspect(error, { depth: 9 })]
    for (const text of printed) expect(text).not.toContain(EVIL)
    expect(Object.keys(error).sort()).toEqual(['code', 'expose', 'status', 'statusCode'])
  })
})

describe('instanceof NotVerifiedError', () => {
  const rejected = refuse({ date: fail('date-missing') }, '')
  // Loads another instance of the module, as a process does that loads the package as ESM and as CommonJS.
  const copy = '../../../../src/core/verdict/http-status.ts?copy'
  const other = () => import(copy) as Promise<{ NotVerifiedError: typeof NotVerifiedError }>

  test('instanceof NotVerifiedError holds across two copies of the package, both ways', async () => {
    const { NotVerifiedError: Other } = await other()
    expect(Other).not.toBe(NotVerifiedError)
    expect(new Other(rejected)).toBeInstanceOf(NotVerifiedError)
    expect(new NotVerifiedError(rejected)).toBeInstanceOf(Other)
  })

  test.each([
    ['an error that has the code', Object.assign(new Error(), { code: 'ERR_NOT_VERIFIED', name: 'NotVerifiedError' })],
    ['the prototype', NotVerifiedError.prototype],
    ['null', null],
    ['undefined', undefined],
    ['a string', 'NotVerifiedError']
  ])('instanceof NotVerifiedError does not hold for %s', (_, value) =>
    expect((value as unknown) instanceof NotVerifiedError).toBe(false)
  )

  test('instanceof for a subclass of NotVerifiedError holds for its own instances only', () => {
    class Subclass extends NotVerifiedError {}
    expect(new Subclass(rejected)).toBeInstanceOf(Subclass)
    expect(new Subclass(rejected)).toBeInstanceOf(NotVerifiedError)
    expect(new NotVerifiedError(rejected)).not.toBeInstanceOf(Subclass)
  })
})

const tooLarge = fail('body-too-large', { limit: 5 })
const date = fail('date-missing')
const replay = fail('replayed', { replayId: 'r' })

test.each<[number, string, Returned]>([
  [401, 'a check that failed', { date }],
  [413, 'a body that is too large', { request: ok(1), digest: tooLarge }],
  [401, 'a body that is too large among other failures', { date, digest: tooLarge }],
  [401, 'another failure behind a body that is too large', { digest: tooLarge, replay }],
  [503, 'a check that could not be decided', { key: fail('key-lookup-timeout', { name: 'k', error: 'E' }) }]
])('the HTTP status is %i: %s', (status, _, steps) => expect(httpStatus(refuse(steps, ''))).toBe(status))

test('the HTTP status is 200: verified', () => {
  const verified = { status: 'verified', failures: [], checks: {} } as unknown as Verified
  expect(httpStatus(verified)).toBe(200)
})
