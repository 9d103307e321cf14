import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { explain } from '../../../src/index.ts'
import { sqliteReplayStore } from '../../../src/replay/index.ts'
import { replayStoreContract } from '../../../src/testing/index.ts'
import { DatabaseSync } from '../../support/sqlite.ts'
import { verifyWith } from '../../support/verdicts.ts'

// Node.js 20 has no node:sqlite; test/runtimes does the same with each library, in files and between processes.

/** Opens a file, and a database that grants every claim, or throws this error, as `node:sqlite` and the others do. */
function openFake({ error }: { error?: object } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'replay.db')
  writeFileSync(file, '')
  const all = () => {
    if (error !== undefined) {
      const thrown = Object.assign(new Error('said by SQLite'), error)
      // The code of an error of bun:sqlite cannot be set.
      throw 'errcode' in error ? thrown : Object.freeze(thrown)
    }
    return [{ token: '' }]
  }
  const rowsOf = (sql: string) => (sql === 'PRAGMA database_list' ? () => [{ file }] : all)
  const store = sqliteReplayStore({ exec() {}, prepare: sql => ({ all: rowsOf(sql), run() {} }) })
  const explained = async () => {
    const verdict = await verifyWith({ replayStore: store })
    return { verdict, text: explain(verdict, { settings: 'flags' }).replace(/\s+/g, ' ') }
  }
  return { file, explained }
}

test('SQLite itself does not wait for a lock, which would stop the process, and readers do not wait for a writer', async () => {
  const executed: string[] = []
  const prepare = () => ({ all: () => [{ token: '' }], run() {} })
  const store = sqliteReplayStore({ exec: sql => executed.push(sql), prepare })
  await store.claim('id', 'token', 60)
  expect(executed).toEqual(expect.arrayContaining(['PRAGMA busy_timeout = 0', 'PRAGMA journal_mode = WAL']))
})

describe('a database that is deleted or replaced while it is open', () => {
  const EVIDENCE = { error: 'SQLITE_READONLY_DBMOVED', problem: 'threw', store: 'SQLite' }

  test.each([
    ['deleted', (file: string) => rmSync(file)],
    [
      'replaced by another file',
      (file: string) => {
        renameSync(file, `${file}.old`)
        writeFileSync(file, '')
      }
    ]
  ])('%s: each claim fails, and the explanation says to start this process again', async (_, change) => {
    const { file, explained } = openFake()
    expect((await explained()).verdict.status).toBe('verified')
    change(file)
    const { verdict, text } = await explained()
    expect(verdict.failures).toMatchObject([{ code: 'replay-store-failed', evidence: EVIDENCE }])
    expect(text).toContain('the database of SQLite was deleted or replaced while open')
    expect(text).toContain('fix: Restart this process')
    expect(text).not.toContain(' threw ')
  })

  test.each([
    ['deleted', (log: string) => rmSync(log)],
    [
      'replaced by another file',
      (log: string) => {
        renameSync(log, `${log}.old`)
        writeFileSync(log, '')
      }
    ]
  ])('its write-ahead log is %s: each claim fails', async (_, change) => {
    const { file, explained } = openFake()
    const log = `${file}-wal`
    // The first claim makes it.
    expect((await explained()).verdict.status).toBe('verified')
    writeFileSync(log, '')
    expect((await explained()).verdict.status).toBe('verified')
    change(log)
    expect((await explained()).verdict.failures).toMatchObject([{ code: 'replay-store-failed', evidence: EVIDENCE }])
  })

  test('SQLite itself says so, by its own number: the explanation is the same', async () => {
    const { text } = await openFake({
      error: { errcode: 0x408, errstr: 'attempt to write a readonly database' }
    }).explained()
    expect(text).toContain('fix: Restart this process')
  })
})

test.each([
  ['node:sqlite', { code: 'ERR_SQLITE_ERROR', errcode: 13, errstr: 'database or disk is full' }, 'SQLITE_FULL'],
  ['node:sqlite', { code: 'ERR_SQLITE_ERROR', errcode: 0x30a, errstr: 'disk I/O error' }, 'SQLITE_IOERR'],
  ['node:sqlite', { code: 'ERR_SQLITE_ERROR', errcode: 26, errstr: 'file is not a database' }, 'SQLITE_NOTADB'],
  ['node:sqlite', { code: 'ERR_SQLITE_ERROR', errcode: 99, errstr: 'unknown error' }, 'SQLITE_ERROR'],
  ['better-sqlite3', { code: 'SQLITE_FULL' }, 'SQLITE_FULL'],
  ['better-sqlite3', { code: 'SQLITE_IOERR_WRITE' }, 'SQLITE_IOERR_WRITE'],
  ['bun:sqlite', { code: 'SQLITE_FULL', errno: 13 }, 'SQLITE_FULL']
])(
  'what %s throws is named by the result code of SQLite, and is not taken for a fault in code: %j',
  async (_, error, name) => {
    const { verdict, text } = await openFake({ error }).explained()
    expect(verdict.failures).toMatchObject([
      { evidence: { error: name, problem: name === 'SQLITE_ERROR' ? 'threw' : 'unreachable' } }
    ])
    expect(text).not.toContain('SQLite threw')
    expect(text).toContain(name)
  }
)

test('an error of the code itself is reported as such', async () => {
  const { text } = await openFake({ error: { name: 'TypeError' } }).explained()
  expect(text).toContain('SQLite threw TypeError')
})

describe('a store in SQLite keeps the contract of a store', () => {
  const database = new DatabaseSync(':memory:')
  afterAll(() => database.close())
  for (const { name, run } of replayStoreContract(() => sqliteReplayStore(database))) test(name, run)
})

describe('while another process writes', () => {
  /** Makes a database that is locked until `unlock` is called, and counts the attempts. */
  function lockedDatabase(error: object = { errcode: 5 }) {
    let attempts = 0
    let isLocked = true
    const unlock = () => {
      isLocked = false
    }
    const all = () => {
      attempts += 1
      if (isLocked) throw Object.assign(new Error('database is locked'), error)
      return [{ token: '' }]
    }
    const database = {
      exec() {},
      prepare: (sql: string) => ({ all: sql.startsWith('PRAGMA') ? () => [{ file: '' }] : all, run() {} })
    }
    return { database, attempts: () => attempts, unlock }
  }

  afterEach(() => void vi.useRealTimers())

  test('a claim is tried again after each millisecond, one at a time, until the file is free', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { database, attempts, unlock } = lockedDatabase()
    const store = sqliteReplayStore(database)
    const claims = ['one', 'two'].map(id => store.claim(id, 'token', 60))
    await vi.advanceTimersByTimeAsync(10)
    expect(attempts()).toBe(11)
    unlock()
    await vi.advanceTimersByTimeAsync(1)
    expect(await Promise.all(claims)).toEqual([true, true])
    expect(attempts()).toBe(13)
  })

  test.each([
    ['node:sqlite', { errcode: 0x205 }],
    ['better-sqlite3', { code: 'SQLITE_BUSY_SNAPSHOT' }],
    ['bun:sqlite', { code: 'SQLITE_BUSY_RECOVERY', errno: 0x105 }]
  ])('a claim is tried again after every code of a locked file, as %s gives it', async (_, error) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { database, unlock } = lockedDatabase(error)
    const claim = sqliteReplayStore(database).claim('id', 'token', 60)
    await vi.advanceTimersByTimeAsync(10)
    unlock()
    await vi.advanceTimersByTimeAsync(1)
    expect(await claim).toBe(true)
  })

  test('a claim rejects with the code of SQLite after five seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const settled = vi.fn()
    sqliteReplayStore(lockedDatabase().database).claim('id', 'token', 60).catch(settled)
    await vi.advanceTimersByTimeAsync(5000)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(settled).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'SQLITE_BUSY' }))
  })
})

test('a call that fails does not fail the calls behind it', async () => {
  let fails = true
  const all = () => {
    if (fails) throw Object.assign(new Error('disk I/O error'), { errcode: 0x30a })
    return [{ token: '' }]
  }
  const prepare = (sql: string) => ({ all: sql.startsWith('PRAGMA') ? () => [{ file: '' }] : all, run() {} })
  const store = sqliteReplayStore({ exec() {}, prepare })
  await expect(store.claim('one', 'token', 60)).rejects.toMatchObject({ code: 'SQLITE_IOERR' })
  fails = false
  expect(await store.claim('two', 'token', 60)).toBe(true)
})

test.each([undefined, null, 'replay.db', {}, { exec() {} }, { prepare() {} }])(
  'a store of %o, which is not a database, is a mistake that says what to pass',
  database => {
    expect(() => sqliteReplayStore(database as never)).toThrow(TypeError)
    expect(() => sqliteReplayStore(database as never)).toThrow(
      'pass new DatabaseSync(file) of "node:sqlite", or new Database(file) of "better-sqlite3" or "bun:sqlite"'
    )
  }
)

test.each([
  ['SQLITE_replay', 'table is "SQLITE_replay": SQLite reserves names that begin with sqlite_'],
  ['a.b', 'write a name of ASCII letters, digits and underscores, at most 63 each']
])('the table %s is a mistake: %s', (table, message) => {
  expect(() => sqliteReplayStore(new DatabaseSync(':memory:'), { table })).toThrow(message)
})

test('an answered claim removes up to four ids that have expired, and no others', async () => {
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  const store = sqliteReplayStore(database, { table: 'ours' })
  for (let n = 0; n < 6; n++) await store.claim(`${n}`, 'token', 60)
  database.exec("UPDATE ours SET expires_at = 1 WHERE id < '5'")
  const left = () =>
    database
      .prepare('SELECT id FROM ours ORDER BY id')
      .all()
      .map(row => (row as { id: string }).id)
  expect(await store.claim('5', 'another', 60)).toBe(false)
  expect(left()).toHaveLength(6)
  await store.claim('6', 'token', 60)
  expect(left()).toHaveLength(3)
  expect(left().slice(-2)).toEqual(['5', '6'])
})
