import { type Stats, statSync } from 'node:fs'
import { describe, mistake, validateCall } from '../core/mistakes.ts'
import { assertCall, parseTableName, type ReplayStore } from '../core/replay/store.ts'

/**
 * The part of a database that `sqliteReplayStore` uses: `DatabaseSync` of `node:sqlite` (Node.js 22.13 or later), or
 * `Database` of `better-sqlite3` or `bun:sqlite`.
 */
export interface SqliteDatabase {
  /** runs statements without a result */
  exec(sql: string): unknown
  /** compiles one statement */
  prepare(sql: string): {
    /** runs it and returns its rows */
    all(...values: (string | number)[]): unknown[]
    /** runs it without rows */
    run(...values: (string | number)[]): unknown
  }
}

const DEFAULT_TABLE = 'signed_requests_replay'

// Each claim adds one row, so any number above one removes rows faster than they arrive.
const REMOVED_PER_CLAIM = 4

/** Milliseconds between two attempts. Another process holds the lock for some microseconds of each claim. */
const RETRY_PAUSE = 1

/** Milliseconds until a call rejects with the error of SQLite. The verifier waits for its own `replayTimeout`. */
const CALL_TIMEOUT = 5000

/**
 * Makes a replay store in an SQLite file, for the processes of one machine and their restarts. One statement decides
 * each call; a claim that is granted then deletes a few expired rows in a second one. Both run in this thread. While
 * another process writes, the call is retried after a pause, for at most 5 seconds, and the event loop runs on.
 *
 * The first call creates the table, and sets write-ahead logging, `synchronous = NORMAL` and no waiting inside SQLite:
 * give the store a connection of its own. An answered claim survives the end of the process; one of the last moments
 * may be lost when the machine itself loses power.
 *
 * @param database an open database: `new DatabaseSync(file)`, or `new Database(file)`; yours to close
 * @param options.table a name of ASCII letters, digits and underscores; `signed_requests_replay` by default
 * @throws TypeError for any other object, or a bad name
 *
 * @example
 * const verify = createVerifier({ ...options, replayStore: sqliteReplayStore(database) })
 */
export function sqliteReplayStore(database: SqliteDatabase, options: { table?: string | undefined } = {}): ReplayStore {
  const [table] = validateCall(
    sqliteReplayStore,
    'sqliteReplayStore',
    options,
    ['table'],
    ({ table = DEFAULT_TABLE }) => [() => validateTable(table), () => validateDatabase(database)]
  )
  const inOrder = createQueue()
  let store: Prepared | undefined

  /** Runs a step. While another process writes, one call at a time tries again, and the others wait for it. */
  const run = (step: (store: Prepared, now: number) => void): Promise<void> => {
    const start = performance.now()
    return inOrder(async () => {
      for (;;) {
        try {
          store ??= prepare(database, table)
          step(store, Date.now())
          return store.assertFile()
        } catch (error) {
          if (!isLocked(error) || performance.now() - start > CALL_TIMEOUT) throw withResultCode(error)
        }
        await new Promise(resolve => setTimeout(resolve, RETRY_PAUSE))
      }
    })
  }
  return {
    name: 'SQLite',
    async claim(id, token, ttlSeconds) {
      assertCall(id, token, ttlSeconds)
      let isHeld = false
      await run(({ claim, remove }, now) => {
        isHeld = claim.all(id, token, expiry(now, ttlSeconds), now, now).length === 1
        if (isHeld) remove.run(now)
      })
      return isHeld
    },
    async release(id, token, ttlSeconds) {
      assertCall(id, token, ttlSeconds)
      await run(({ release }, now) => void release.run(id, token, expiry(now, ttlSeconds), now))
    }
  }
}

function validateTable(name: unknown): string {
  const [table] = parseTableName(name, 1)
  if (/^sqlite_/i.test(table))
    throw mistake('table is', name, 'SQLite reserves names that begin with sqlite_', describe)
  return table
}

function validateDatabase(database: Partial<SqliteDatabase> | null | undefined): void {
  if (typeof database?.exec === 'function' && typeof database.prepare === 'function') return
  const rule = 'pass new DatabaseSync(file) of "node:sqlite", or new Database(file) of "better-sqlite3" or "bun:sqlite"'
  throw mistake('database is', database, rule)
}

const expiry = (now: number, ttlSeconds: number): number => Math.ceil(now + ttlSeconds * 1000)

type Prepared = ReturnType<typeof prepare>

function prepare(database: SqliteDatabase, table: string) {
  for (const statement of [
    'PRAGMA busy_timeout = 0',
    'PRAGMA journal_mode = WAL',
    'PRAGMA synchronous = NORMAL',
    `CREATE TABLE IF NOT EXISTS "${table}" (id TEXT PRIMARY KEY NOT NULL, token TEXT NOT NULL,
       released INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID`,
    `CREATE INDEX IF NOT EXISTS "${table}_expires_at" ON "${table}" (expires_at)`
  ])
    database.exec(statement)
  return {
    claim: database.prepare(`INSERT INTO "${table}" AS held (id, token, released, expires_at) VALUES (?, ?, 0, ?)
      ON CONFLICT (id) DO UPDATE SET token = excluded.token, released = 0, expires_at = CASE
        WHEN held.token = excluded.token AND held.expires_at > ? THEN held.expires_at ELSE excluded.expires_at END
      WHERE held.expires_at <= ? OR held.released = (held.token <> excluded.token)
      RETURNING token`),
    release: database.prepare(`INSERT INTO "${table}" AS held (id, token, released, expires_at) VALUES (?, ?, 1, ?)
      ON CONFLICT (id) DO UPDATE SET token = excluded.token, released = 1, expires_at = excluded.expires_at
      WHERE held.expires_at <= ? OR held.released OR held.token = excluded.token`),
    remove: database.prepare(`DELETE FROM "${table}" WHERE id IN
      (SELECT id FROM "${table}" WHERE expires_at <= ? ORDER BY expires_at LIMIT ${REMOVED_PER_CLAIM})`),
    assertFile: fileGuard(database)
  }
}

/**
 * Makes a function that throws when the file was deleted or replaced, or its write-ahead log beside it. SQLite goes on
 * writing to such a file, where no other process, and not this one after its next start, finds the claims.
 */
function fileGuard(database: SqliteDatabase): () => void {
  const [{ file }] = database.prepare('PRAGMA database_list').all() as [{ file: string | null }]
  if (!file) return () => {} // in memory
  const opened = statSync(file)
  const log = `${file}-wal`
  // The first write makes it, and it stays while the database is open.
  let openedLog = fileAt(log)
  return () => {
    const foundLog = fileAt(log)
    openedLog ??= foundLog
    if (isSameFile(fileAt(file), opened) && isSameFile(foundLog, openedLog)) return
    throw Object.assign(new Error('the database was deleted or replaced while open'), { code: FILE_MOVED })
  }
}

const fileAt = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false })

const isSameFile = (a: Stats | undefined, b: Stats | undefined): boolean => a?.ino === b?.ino && a?.dev === b?.dev

/** SQLite's own code for a file that was deleted or replaced while open; it notices that in some calls only. */
const FILE_MOVED = 'SQLITE_READONLY_DBMOVED'

interface SqliteError {
  /** of `node:sqlite`: a number, with a primary result code in its last byte */
  errcode?: number
  /** of the others: the name of the result code */
  code?: string
}

const isLocked = (error: unknown): boolean => resultCode(Object(error))?.startsWith('SQLITE_BUSY') === true

/** Returns the error itself, with SQLite's code as its `code`. Errors of Bun have it already, and it cannot be set. */
function withResultCode(error: unknown): unknown {
  const code = resultCode(Object(error))
  return code === undefined || (error as SqliteError).code === code ? error : Object.assign(error as Error, { code })
}

/** Returns the name of SQLite's result code, such as `SQLITE_FULL`, or the code of an error that is not from SQLite. */
function resultCode({ errcode, code }: SqliteError): string | undefined {
  if (errcode === undefined) return code
  if (errcode === 0x408) return FILE_MOVED
  return `SQLITE_${RESULT_CODES[errcode & 0xff] ?? 'ERROR'}`
}

/** The primary result codes in the order of their numbers (sqlite.org/rescode.html). */
const RESULT_CODES = (
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL ' +
  'EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB'
).split(' ')

/** Runs steps one after the other, in the order in which they came. */
function createQueue(): (step: () => Promise<void>) => Promise<void> {
  let last = Promise.resolve()
  return step => {
    const done = last.then(step)
    last = done.catch(() => {})
    return done
  }
}
