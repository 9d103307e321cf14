import { Client, Pool } from 'pg'
import { describe, expect, test } from 'vitest'
import { type PostgresClient, postgresReplayStore, postgresReplayTable } from '../../../src/replay/index.ts'

const answering = (rows: unknown): PostgresClient => ({ query: async () => ({ rows: rows as unknown[] }) })

describe('postgresReplayStore', () => {
  test('accepts the types of a Pool, a Client and a client of a pool', () => {
    expect(postgresReplayStore(new Pool())).toBeTypeOf('object')
    expect(postgresReplayStore(new Client())).toBeTypeOf('object')
  })

  test.each([undefined, null, {}, 'postgres://localhost', Pool])('refuses %s', other => {
    const message = expect.stringContaining('pass a Pool or a Client of "pg"')
    expect(() => postgresReplayStore(other as never)).toThrow(expect.objectContaining({ name: 'TypeError', message }))
  })

  test('sends one statement for each call, with ids and tokens as values only', async () => {
    const sent: [string, unknown[]][] = []
    const store = postgresReplayStore({
      async query(...call) {
        sent.push(call)
        return { rows: [{}] }
      }
    })
    expect(await store.claim("'; DROP TABLE x", 'token', 1.5)).toBe(true)
    await store.release('plain', "token'", 60)
    const [[claim, claimed], [release, released]] = sent as [[string, unknown[]], [string, unknown[]]]
    expect(sent).toHaveLength(2)
    expect(claim + release).not.toMatch(/;|DROP|token'/)
    expect(claimed).toEqual(["'; DROP TABLE x", 'token', 1.5])
    expect(released).toEqual(['plain', "token'", 60])
  })

  test('rejects when there are no rows to tell from', async () => {
    await expect(postgresReplayStore(answering(undefined)).claim('a', 't', 60)).rejects.toThrow()
  })

  test('refuses an option that it does not have', () => {
    expect(() => postgresReplayStore(answering([]), { tabel: 'x' } as object)).toThrow(
      'postgresReplayStore() has no option "tabel"'
    )
  })
})

describe('the name of the table', () => {
  const BAD = [
    '',
    '.',
    'a.',
    '.a',
    'a.b.c',
    ' a',
    'a b',
    'a-b',
    '1a',
    'a"b',
    'a;b',
    "a'b",
    'ä',
    'a\0',
    'a\n',
    'x'.repeat(64),
    7,
    null,
    ['a'],
    { toString: () => 'a' }
  ]

  test.each(BAD)('refuses %j', name => {
    expect(() => postgresReplayTable(name as string)).toThrow(TypeError)
    expect(() => postgresReplayStore(answering([]), { table: name as string })).toThrow('schema.name')
  })

  test.each([
    ['replays', '"replays"', '"replays_expires_at"'],
    ['Audit.select', '"Audit"."select"', '"select_expires_at"'],
    ['_', '"_"', '"__expires_at"'],
    ['x'.repeat(63), `"${'x'.repeat(63)}"`, `"${'x'.repeat(52)}_expires_at"`]
  ])('quotes %s', (name, table, index) => {
    expect(postgresReplayTable(name)).toContain(`CREATE TABLE IF NOT EXISTS ${table} (`)
    expect(postgresReplayTable(name)).toContain(`CREATE INDEX IF NOT EXISTS ${index} ON ${table} `)
  })

  test('the name of the table is signed_requests_replay by default', () => {
    expect(postgresReplayTable()).toBe(postgresReplayTable('signed_requests_replay'))
  })
})
