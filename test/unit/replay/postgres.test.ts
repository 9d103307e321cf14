import { Client, Pool } from 'pg'
import { describe, expect, it } from 'vitest'
import { type PostgresClient, postgresReplayStore, postgresReplayTable } from '../../../src/replay/index.ts'

const answering = (rows: unknown): PostgresClient => ({ query: async () => ({ rows: rows as unknown[] }) })

describe('postgresReplayStore', () => {
  it('accepts the types of a Pool, a Client and a client of a pool', () => {
    expect(postgresReplayStore(new Pool())).toBeTypeOf('object')
    expect(postgresReplayStore(new Client())).toBeTypeOf('object')
  })

  it.each([undefined, null, {}, 'postgres://localhost', Pool])('refuses %s', other => {
    expect(() => postgresReplayStore(other as never)).toThrow('pass a Pool or a Client of "pg"')
    expect(() => postgresReplayStore(other as never)).toThrow(TypeError)
  })

  it('sends one statement for a claim, one without waiting that confirms it, one for a release, and ids as values only', async () => {
    const sent: [string, unknown[]][] = []
    const store = postgresReplayStore({
      async query(text, values) {
        sent.push([text, [...values]])
        return { rows: [{ token: values[1], again: values[1] }] }
      }
    })
    await store.claim("'; DROP TABLE x", 1.5, 1000)
    await store.claim('plain', 60)
    await store.release('plain')
    const [[claim, odd], [confirm, confirmed], [same, values], , [release, released]] = sent as [
      string,
      string[]
    ][] as [[string, string[]], [string, string[]], [string, string[]], unknown, [string, string[]]]
    expect(sent).toHaveLength(5)
    expect(confirm).toMatch(/^UPDATE [^;]*$/)
    expect(confirmed).toEqual([odd[0], odd[1], odd[1]!.replace(/p$/, 'c')])
    expect(same).toBe(claim)
    expect(release).not.toMatch(/;|DROP/)
    expect(claim).not.toMatch(/;|DROP/)
    expect(odd).toEqual([expect.stringMatching(/^sha256:/), expect.any(String), 1.5, 1000])
    expect(values.slice(0, 3)).toEqual(['plain', expect.any(String), 60])
    expect(values[1]).not.toBe(odd[1])
    // Of this store object, and from a claim before it: this was its third.
    expect(released).toEqual(['plain', values[1]!.slice(0, 12), '000000002'])
  })

  it('never reports an id as held by a token that is not text', async () => {
    for (const row of [{}, null, { token: 7, again: 7 }, { token: 'a', again: 'b' }])
      await expect(postgresReplayStore(answering([row])).claim('a', 60)).rejects.toThrow('not certain')
  })

  it('writes a different token for each store', async () => {
    const tokenOf = async () => {
      let token: unknown
      const client: PostgresClient = {
        async query(_, values) {
          token ??= values[1]
          return { rows: [{ token: values[1], again: values[1] }] }
        }
      }
      await postgresReplayStore(client).claim('a', 60)
      return token
    }
    expect(await tokenOf()).toMatch(/^[\w-]{22}$/)
    expect(await tokenOf()).not.toBe(await tokenOf())
  })

  it.each([[undefined], [null], ['1'], [[{}, {}]]])('rejects when the rows are %j', async rows => {
    await expect(postgresReplayStore(answering(rows)).claim('a', 60)).rejects.toThrow('not certain')
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses ttlSeconds %s without a statement',
    async ttl => {
      const store = postgresReplayStore({ query: () => expect.unreachable() })
      await expect(store.claim('a', ttl)).rejects.toThrow(TypeError)
    }
  )

  it.each(['', 7, undefined])('refuses id %s without a statement', async id => {
    const store = postgresReplayStore({ query: () => expect.unreachable() })
    await expect(store.claim(id as string, 60)).rejects.toThrow(TypeError)
    await expect(store.release(id as string)).rejects.toThrow(TypeError)
  })

  it('refuses an option that it does not have', () => {
    expect(() => postgresReplayStore(answering([]), { tabel: 'x' } as object)).toThrow('no option "tabel"')
  })
})

describe('the name of the table', () => {
  const BAD = [
    ...['', '.', 'a.', '.a', 'a.b.c', ' a', 'a b', 'a-b', '1a', 'a"b', 'a;b', "a'b", 'ä', 'a\0', 'a\n'],
    ...['x'.repeat(64), 7, null, ['a'], { toString: () => 'a' }]
  ]

  it.each(BAD)('refuses %j', name => {
    expect(() => postgresReplayTable(name as string)).toThrow(TypeError)
    expect(() => postgresReplayStore(answering([]), { table: name as string })).toThrow('schema.name')
  })

  it.each([
    ['replays', '"replays"', '"replays_expires_at"'],
    ['Audit.select', '"Audit"."select"', '"select_expires_at"'],
    ['_', '"_"', '"__expires_at"'],
    ['x'.repeat(63), `"${'x'.repeat(63)}"`, `"${'x'.repeat(52)}_expires_at"`]
  ])('quotes %s', (name, table, index) => {
    expect(postgresReplayTable(name)).toContain(`CREATE TABLE IF NOT EXISTS ${table} (`)
    expect(postgresReplayTable(name)).toContain(`CREATE INDEX IF NOT EXISTS ${index} ON ${table} `)
  })

  it('is signed_requests_replay by default', () => {
    expect(postgresReplayTable()).toBe(postgresReplayTable('signed_requests_replay'))
  })
})
