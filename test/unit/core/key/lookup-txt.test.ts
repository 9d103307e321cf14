import { describe, expect, test, vi } from 'vitest'
import { createVerifier, type LookupTxt } from '../../../../src/index.ts'
import { service } from '../../../support/service.ts'
import { failuresOf } from '../../../support/verdicts.ts'

const keyId = Object.keys(service.records)[0]!
const answer = service.records[keyId]!

/** Makes a verifier with a third-party lookup, which may do anything. */
const verifierWith = (lookupTxt: unknown, lookupTimeout = 5000) =>
  createVerifier({ ...service.options, lookupTxt: lookupTxt as LookupTxt, lookupTimeout })

const coded = (code: unknown) => Object.assign(new Error('secret: 10.0.0.1'), { code })

describe('anything that the lookup rejects with or throws gives a verdict', () => {
  test.each<[string, unknown, code?: string]>([
    ['ENOTFOUND', coded('ENOTFOUND'), 'key-not-found'],
    ['ENODATA', coded('ENODATA'), 'key-not-found'],
    ['ETIMEOUT', coded('ETIMEOUT'), 'key-lookup-timeout'],
    ['ECANCELLED', coded('ECANCELLED')],
    ['a code in lower case', coded('enotfound')],
    ['a code that is not a string', coded(3)],
    ['an error without a code', new Error('NXDOMAIN')],
    ['an abort', new DOMException('aborted', 'AbortError')],
    ['a string', 'ENOTFOUND'],
    ['undefined', undefined],
    ['null', null],
    ['a symbol', Symbol('x')]
  ])('rejects with %s', async (_, error, code = 'key-lookup-failed') => {
    const verdict = await verifierWith(() => Promise.reject(error))(service.sign())
    expect(failuresOf(verdict)).toEqual([`key: ${code}`])
    expect(verdict.status).toBe(code === 'key-not-found' ? 'rejected' : 'unavailable')
    expect(JSON.stringify(verdict)).not.toContain('10.0.0.1')
  })
})

describe('anything that the lookup resolves to gives a verdict', () => {
  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'v=DKIM1; p='],
    ['a record instead of a list', answer[0]],
    ['an object', { 0: answer[0], length: 1 }],
    ['a list with null', [null]],
    ['a list with a hole', Array(1)],
    ['a list of a record and a string', [answer[0], 'v=DKIM1; p=']],
    ['a record with a number', [[1]]],
    ['a record with a hole', [Array(1)]],
    ['a record of bytes', [[Buffer.from(answer[0]!.join(''))]]]
  ])('%s: unavailable', async (_, junk) => {
    const verdict = await verifierWith(async () => junk)(service.sign())
    expect(failuresOf(verdict)).toEqual(['key: key-lookup-failed'])
    expect(verdict.failures[0]?.evidence).toMatchObject({ error: 'the answer is not of the form string[][]' })
    expect(verdict.status).toBe('unavailable')
  })

  test.each([
    ['no records', []],
    ['a record without chunks', [[]]],
    ['an empty chunk', [['']]]
  ])('%s: there is no key', async (_, empty) => {
    const verdict = await verifierWith(async () => empty)(service.sign())
    expect(failuresOf(verdict)).toEqual(['key: key-not-found'])
  })

  test('asks again after a thenable that calls back at once', async () => {
    // biome-ignore lint/suspicious/noThenProperty: a promise of another make is what this is about
    const atOnce = { then: (onAnswer: (value: unknown) => void) => onAnswer(answer) }
    const lookupTxt = vi.fn(() => atOnce)
    const verify = verifierWith(lookupTxt)
    for (let n = 0; n < 2; n++) expect(failuresOf(await verify(service.sign()))).toEqual([])
    expect(lookupTxt).toHaveBeenCalledTimes(2)
  })
})

describe('the deadline', () => {
  test.each<[string, (settle: { resolve(value: unknown): void; reject(error: unknown): void }) => void]>([
    ['an answer', ({ resolve }) => resolve(answer)],
    ['junk', ({ resolve }) => resolve({})],
    ['an error', ({ reject }) => reject(undefined)]
  ])('%s after the deadline changes nothing and causes no unhandled rejection', async (_, settleLate) => {
    const onUnhandled = vi.fn()
    process.on('unhandledRejection', onUnhandled)
    const pending: Parameters<typeof settleLate>[0][] = []
    const verify = verifierWith(() => {
      if (pending.length > 0) return Promise.resolve(answer)
      return new Promise((resolve, reject) => pending.push({ resolve, reject }))
    }, 20)
    const late = await verify(service.sign())
    const next = verify(service.sign())
    settleLate(pending[0]!)
    expect(failuresOf(await next)).toEqual([])
    await new Promise(resolve => setImmediate(resolve))
    expect(failuresOf(late)).toEqual(['key: key-lookup-timeout'])
    expect(onUnhandled).not.toHaveBeenCalled()
    process.off('unhandledRejection', onUnhandled)
  })
})
