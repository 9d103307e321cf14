import { describe, expect, test } from 'vitest'
import { explain } from '../../../src/index.ts'
import { explained, unwrapped } from '../../support/explained.ts'
import { claiming } from '../../support/failing.ts'
import { verifyWith } from '../../support/verdicts.ts'

const rejects = (error: unknown) => async (): Promise<never> => {
  throw error
}

type Fails = () => Promise<never>

/** Lists functions of the receiver that may throw, with the check that reports each. */
const FUNCTIONS = [
  ['accounts', 'account', 'account-check-failed', (fails: Fails) => ({ accounts: fails })],
  ['lookupTxt', 'key', 'key-lookup-failed', (fails: Fails) => ({ lookupTxt: fails })],
  ['replayStore', 'replay', 'replay-store-failed', (fails: Fails) => claiming(fails)]
] as const

describe.each(FUNCTIONS)('an error that %s throws', (_, check, code, options) => {
  test('an error that a function of the receiver throws is a cause that is not enumerable', async () => {
    const error = new ReferenceError('db is not defined')
    const verdict = await verifyWith(options(rejects(error)))
    expect(verdict).toMatchObject({ status: 'unavailable', failures: [{ code }] })
    expect(verdict.failures[0]?.cause).toBe(error)
    expect((verdict.checks[check] as { cause?: unknown }).cause).toBe(error)
    for (const place of [verdict.failures[0]!, verdict.checks[check]]) {
      expect(Object.keys(place)).not.toContain('cause')
      expect(JSON.stringify(place)).not.toContain('db is not defined')
    }
  })

  test('an error that a function of the receiver throws is not part of a structured clone', async () => {
    const clone = structuredClone(await verifyWith(options(rejects(new Error('secret')))))
    expect(clone.failures[0]).not.toHaveProperty('cause')
    expect(clone.checks[check]).not.toHaveProperty('cause')
  })

  test('an error that a function of the receiver throws is explained by name and message', async () => {
    const text = explain(await verifyWith(options(rejects(new ReferenceError('db is not defined')))))
    expect(text).toContain('  thrown: ReferenceError: db is not defined')
  })
})

const get = () => {
  throw new Error('no')
}
const UNREADABLE = Object.defineProperty({}, 'message', { get })

describe('the text about an error', () => {
  const shown = async (error: unknown): Promise<string> => {
    const text = explained(await verifyWith({ accounts: rejects(error) }))
    return text.slice(text.indexOf('  thrown: ')).replace(/\n {6,}/g, '')
  }

  test('the text about an error is only name and message', async () => {
    const error = Object.assign(new Error('no connection'), { url: 'redis://user:secret@host' })
    expect(await shown(error)).toBe('  thrown: Error: no connection')
  })

  test('the text about an error is escaped and cut', async () => {
    const text = await shown(new Error(`\x1b[31m\nok    digest            pass${'x'.repeat(5000)}`))
    expect(text).toContain('thrown: Error: \\x1b[31m\\x0aok    digest')
    expect(text.length).toBeLessThan(1000)
  })

  test.each([
    ['a string', 'down', '  thrown: string: down'],
    ['undefined', undefined, '  thrown: undefined: undefined'],
    ['null', null, '  thrown: object: null'],
    ['an object without a name', { code: 7 }, '  thrown: an error without a name'],
    ['a function without a name', () => {}, '  thrown: an error without a name'],
    ['an object whose getters throw', UNREADABLE, '  thrown: an error that cannot be read']
  ])('takes %s', async (_, error, line) => expect(await shown(error)).toBe(line))

  test('says what an accounts function returned instead of true or false, and what to write', async () => {
    const accounts = (async () => ({ id: 7 })) as unknown as () => Promise<boolean>
    const text = unwrapped(explained(await verifyWith({ accounts })))
    expect(text).toContain('it returned object instead of true or false')
    expect(text).toContain('fix: Return true or false: async id => (await find(id)) !== undefined.')
    expect(text).not.toContain('thrown: ')
  })
})
