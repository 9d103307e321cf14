import { createVerifier } from 'signed-requests'
import { expect, test } from 'vitest'
import { service } from '../../test/support/service.ts'
import { errorText, watchStore } from '../src/store-watch.ts'
import { exchangeOf } from './support/exchanges.ts'

/** A store that fails while it has an error. */
function start() {
  const state: { error?: Error } = {}
  const answer = async <T>(reply: T) => (state.error === undefined ? reply : Promise.reject(state.error))
  const notes: string[] = []
  let now = 0
  const store = { name: 'Redis at 10.0.0.5:6379', claim: () => answer(true), release: () => answer(undefined) }
  const watch = watchStore(
    store,
    line => notes.push(line),
    () => now
  )
  return { ...watch, state, notes, at: (seconds: number) => (now = seconds * 1000) }
}

test('one line says that the store fails, and one that it is back, with how long and how many', async () => {
  const { store, state, notes, at } = start()
  const claim = () => store!.claim('id', 'token', 1).catch(() => false)
  await claim()
  state.error = new Error("READONLY You can't write against a read only replica.")
  for (let i = 0; i < 5; i++) await claim()
  expect(notes).toEqual([expect.stringMatching(/^Redis at 10\.0\.0\.5:6379 fails: READONLY /)])
  at(12)
  delete state.error
  for (let i = 0; i < 3; i++) await claim()
  expect(notes.slice(1)).toEqual([expect.stringMatching(/is back after 12 s, in which 5 calls failed.*READONLY/)])
})

test('an exchange has the error of the store, and that of the earlier claim where that is undecided', async () => {
  const { store, state, withError } = start()
  state.error = Object.assign(new Error('sorry, too many clients already'), { code: '53300' })
  const verify = createVerifier({ ...service.options, replayStore: store! })
  const signed = service.sign()
  const exchange = await exchangeOf(signed)
  for (let i = 0; i < 2; i++) {
    const verdict = await verify(signed)
    expect(verdict.status).toBe('unavailable')
    expect(withError({ ...exchange, verdict }).storeError).toBe('53300 sorry, too many clients already')
    // Another request fails for another reason.
    state.error = new Error('Connection terminated unexpectedly')
    await verify(service.sign({ target: '/other' }))
  }
  expect(withError(exchange)).toBe(exchange)
})

test.each([
  [
    Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' }),
    'connect ECONNREFUSED 127.0.0.1:1'
  ],
  [Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [new Error('a\u001b[31m\nb'), 'a?[31m?b'],
  [new TypeError(), 'TypeError'],
  ['text', 'text']
])('the text of an error is one line: %s', (error, expected) => expect(errorText(error)).toBe(expected))
