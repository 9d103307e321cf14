import { describe, expect, test } from 'vitest'
import { createVerifier, diagnose, explain, type ReplayStore } from '../../../src/index.ts'
import { postgresReplayStore, redisReplayStore } from '../../../src/replay/index.ts'
import { service } from '../../support/service.ts'

/** A store whose server cannot be used, as its client says. */
const failing = (error: object, name?: string): ReplayStore => ({
  ...(name !== undefined && { name }),
  claim: () => Promise.reject(Object.assign(new Error('a text that nobody reads'), error)),
  release: async () => {}
})

async function failureOf(replayStore: ReplayStore) {
  const verdict = await createVerifier({ ...service.options, replayStore })(service.sign())
  const [failure] = verdict.failures
  expect([verdict.status, failure?.code]).toEqual(['unavailable', 'replay-store-failed'])
  return { verdict, evidence: failure?.evidence, ...diagnose(verdict).failures[0]! }
}

describe('a store that cannot be used is named as that, with what to check', () => {
  test.each<[code: string, name: string, cause: RegExp, fix: RegExp]>([
    ['ECONNREFUSED', 'Redis', /^Redis cannot be reached \(ECONNREFUSED 127\.0\.0\.1:6379\)$/, /running.*URL is right/],
    ['ETIMEDOUT', 'PostgreSQL', /^PostgreSQL cannot be reached \(ETIMEDOUT/, /network/],
    ['ENOTFOUND', 'Redis', /^Redis cannot be reached/, /URL is right/],
    ['WRONGPASS', 'Redis', /^Redis refuses the login/, /user name and password/],
    ['NOAUTH', 'Redis', /^Redis refuses the login/, /password/],
    ['28P01', 'PostgreSQL', /^PostgreSQL refuses the login \(28P01/, /password/],
    ['READONLY', 'Redis', /^Redis does not accept writes/, /the primary/],
    ['25006', 'PostgreSQL', /^PostgreSQL does not accept writes/, /the primary/],
    ['LOADING', 'Redis', /^Redis is still starting/, /Wait/],
    ['57P03', 'PostgreSQL', /^PostgreSQL is still starting/, /Wait/],
    ['OOM', 'Redis', /^Redis has no memory left/, /noeviction/],
    ['53300', 'PostgreSQL', /^PostgreSQL accepts no more connections/, /max_connections/],
    ['42P01', 'PostgreSQL', /^PostgreSQL has no such table/, /postgresReplayTable/],
    ['3D000', 'PostgreSQL', /^PostgreSQL has no such database/, /name of the database/],
    ['53100', 'PostgreSQL', /^PostgreSQL cannot write to its disk/, /space/],
    ['SQLITE_BUSY', 'SQLite', /^SQLite is locked by another process/, /lock/],
    ['SQLITE_CANTOPEN', 'SQLite', /^SQLite cannot be reached/, /./]
  ])('%s of %s', async (code, name, cause, fix) => {
    const failure = await failureOf(failing({ code, address: '127.0.0.1', port: 6379 }, name))
    expect(failure.evidence).toEqual({ error: code, problem: 'unreachable', store: name })
    expect(failure).toMatchObject({ cause: expect.stringMatching(cause), fix: expect.stringMatching(fix) })
    expect(explain(failure.verdict)).toContain(name)
  })

  test('a name that has the address already is not followed by it', async () => {
    const failure = await failureOf(
      failing({ code: 'ECONNREFUSED', address: '10.0.0.5', port: 6379 }, 'Redis at 10.0.0.5:6379')
    )
    expect(failure.cause).toBe('Redis at 10.0.0.5:6379 cannot be reached (ECONNREFUSED)')
  })

  test('an address that is no text is not shown', async () => {
    const failure = await failureOf(failing({ code: 'ECONNREFUSED', address: { a: 1 }, port: '1\x1b' }))
    expect(failure.cause).toBe('the replay store cannot be reached (ECONNREFUSED)')
  })
})

test.each([
  ['a mistake in its code', new TypeError('ECONNREFUSED 127.0.0.1:6379')],
  ['a text that only looks like a code', new Error('connect ECONNREFUSED 127.0.0.1:6379')],
  ['another code', Object.assign(new Error('READONLY'), { code: 'ERR_INVALID_ARG_TYPE' })],
  ['a store that is full', Object.assign(new Error('full'), { code: 'REPLAY_STORE_FULL' })]
])('%s is not called unreachable', async (_, error) => {
  const store = { claim: () => Promise.reject(error), release: async () => {} }
  expect((await failureOf(store)).evidence).toMatchObject({ problem: 'threw' })
})

describe('a Redis client that has no connection says so by its own state', () => {
  const eval_ = () => Promise.reject(new Error("Stream isn't writeable and enableOfflineQueue options is false"))

  test.each<[what: string, client: object, problem: string]>([
    ['ioredis while it reconnects', { status: 'reconnecting', eval: eval_ }, 'unreachable'],
    ['ioredis while it is ready', { status: 'ready', eval: eval_ }, 'threw'],
    ['node-redis while it reconnects', { isOpen: true, isReady: false, eval: eval_ }, 'unreachable'],
    ['node-redis while it is closed', { isOpen: false, isReady: false, eval: eval_ }, 'unreachable'],
    ['a cluster of node-redis', { isOpen: true, eval: eval_ }, 'threw']
  ])('%s', async (_, client, problem) => {
    const { evidence } = await failureOf(redisReplayStore(client as Parameters<typeof redisReplayStore>[0]))
    expect(evidence).toMatchObject({ problem, store: 'Redis' })
  })

  test.each([
    "READONLY You can't write against a read only replica.",
    "ERR Error running script (call to f_5b): @user_script:6: @user_script: 6: -READONLY You can't write against a read only replica. "
  ])('an error of the server counts before the state of the client: %s', async message => {
    const client = { status: 'ready', eval: () => Promise.reject(new Error(message)) }
    expect((await failureOf(redisReplayStore(client))).evidence).toMatchObject({
      error: 'READONLY',
      problem: 'unreachable'
    })
  })
})

test.each([
  [new Error('Connection terminated unexpectedly'), 'NOT_CONNECTED', 'unreachable'],
  [Object.assign(new Error('too many connections for role'), { code: '53300' }), '53300', 'unreachable'],
  [new TypeError('a mistake'), 'TypeError', 'threw']
])('an error of pg without a code is that of a lost connection: %s', async (error, code, problem) => {
  const { evidence } = await failureOf(postgresReplayStore({ query: () => Promise.reject(error) }))
  expect(evidence).toEqual({ error: code, problem, store: 'PostgreSQL' })
})

test('a resolver that cannot be reached is named as that; an answer of it is not', async () => {
  for (const [code, problem] of [
    ['ECONNREFUSED', 'unreachable'],
    ['ESERVFAIL', 'threw'],
    ['EREFUSED', 'threw']
  ] as const) {
    const lookupTxt = () => Promise.reject(Object.assign(new Error(code), { code }))
    const { failures } = await createVerifier({ ...service.options, lookupTxt })(service.sign())
    expect(failures).toMatchObject([{ code: 'key-lookup-failed', evidence: { error: code, problem } }])
  }
})
