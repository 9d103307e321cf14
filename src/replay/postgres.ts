import { mistake, ownOptions } from '../mistakes/mistakes.ts'
import { sharedReplayStore } from './shared.ts'
import type { ReplayStore } from './store.ts'

/** What `postgresReplayStore` uses of a `pg` Pool or Client, version 8 or later. */
export interface PostgresClient {
  /** runs one statement; rejects when it is not certain that it was done */
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
}

const DEFAULT_TABLE = 'signed_requests_replay'

// Each claim adds one row, so any number above one removes rows faster than they arrive.
const REMOVED_PER_CLAIM = 4

/**
 * A replay store in PostgreSQL 9.5 or later, for a receiver of several processes that has a database already. A claim
 * is one statement: it inserts the id, takes it over if it has expired by the database's clock, and deletes a few other
 * expired rows. No timer runs. A release deletes the row if this store object claimed it.
 *
 * A claim whose statement fails, or whose answer is lost or late, rejects and is withdrawn. A claim inside a transaction
 * counts when that commits, so pass a Pool, or a Client that is in no transaction. Give the pool time limits.
 *
 * @param pool a `pg` Pool or Client; yours to connect and to close
 * @param options.table `name` or `schema.name`, created with the statement of `postgresReplayTable`;
 *   `signed_requests_replay` by default
 * @throws TypeError for any other object, or a bad name
 *
 * @example
 * const verify = createVerifier({ ...options, replayStore: postgresReplayStore(pool) })
 */
export function postgresReplayStore(pool: PostgresClient, options: { table?: string } = {}): ReplayStore {
  if (typeof pool?.query !== 'function')
    throw mistake('pool is', pool, 'pass a Pool or a Client of "pg", version 8 or later')
  const { table = DEFAULT_TABLE } = ownOptions('postgresReplayStore', options, ['table'])
  const { take, confirm, free } = statementsFor(quoteTable(table).table)
  return sharedReplayStore({
    name: 'PostgreSQL',
    inOrder: false,
    // An error of the server, not of the connection: the statement was undone.
    isUndone: error => typeof (error as { severity?: unknown } | null)?.severity === 'string',
    async take(id, token, ttlSeconds, timeout) {
      const values = [id, token, ttlSeconds, timeout]
      // `pg` reads the values when a connection is free: a statement that has waited too long for one must not take.
      const timer = setTimeout(() => values.fill(0, 3), timeout)
      try {
        const rows = (await pool.query(take, values))?.rows
        if (Array.isArray(rows) && rows.length === 0) return ''
        const [{ token: holder, again }, ...others] = Array.isArray(rows) ? rows.map(Object) : [{}]
        if (typeof holder === 'string' && holder === again && others.length === 0) return holder
        throw new Error('PostgreSQL answered with neither one token nor none: the claim is not certain')
      } finally {
        clearTimeout(timer)
      }
    },
    confirm: async (id, token, confirmed) => pool.query(confirm, [id, token, confirmed]),
    free: async (id, start, end) => pool.query(free, [id, start, end])
  })
}

/**
 * The statements that create the table of `postgresReplayStore`, for a migration. They do nothing when it exists.
 *
 * @param table `name` or `schema.name`: ASCII letters, digits and underscores, at most 63 each; case counts
 * @throws TypeError for a bad name
 *
 * @example
 * await pool.query(postgresReplayTable())
 */
export function postgresReplayTable(table: string = DEFAULT_TABLE): string {
  const { table: quoted, index } = quoteTable(table)
  return `CREATE TABLE IF NOT EXISTS ${quoted} (
  id text COLLATE "C" PRIMARY KEY,
  token text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${index} ON ${quoted} (expires_at);
`
}

/**
 * The row's own time is compared with `clock_timestamp()`, which advances while the statement waits for a row that
 * another session is writing; the rows to remove with `statement_timestamp()`, which can use an index. They are removed
 * after the insertion, so a session that waits for a row holds no other, and rows that another session holds are
 * skipped: claims cannot deadlock.
 *
 * A statement that has waited too long fails by itself, because the text of its error is no number, and is undone.
 * `transaction_timestamp()` is when its first message came: a lock on the table is waited for in the first,
 * `statement_timestamp()` is that of the last. No other clock than the database's is compared.
 */
const statementsFor = (table: string) => ({
  take: `WITH claimed AS (
  INSERT INTO ${table} AS held (id, token, expires_at)
  VALUES ($1::text, $2::text, clock_timestamp() + $3::float8 * interval '1 second')
  ON CONFLICT (id) DO UPDATE SET token = excluded.token, expires_at = excluded.expires_at
  WHERE held.expires_at <= clock_timestamp() OR held.token = excluded.token
  RETURNING token, CAST(CASE
    WHEN clock_timestamp() < transaction_timestamp() + $4::float8 * interval '1 millisecond' THEN '0'
    ELSE 'the claim came after its deadline'
  END AS int)
), removed AS (
  DELETE FROM ${table}
  WHERE id = ANY (ARRAY(
    SELECT id FROM ${table}
    WHERE expires_at <= statement_timestamp() AND id <> $1::text AND EXISTS (SELECT FROM claimed)
    ORDER BY expires_at LIMIT ${REMOVED_PER_CLAIM}
    FOR UPDATE SKIP LOCKED
  )) AND expires_at <= statement_timestamp()
)
SELECT token, token AS again FROM claimed
UNION ALL SELECT token, token FROM ${table} WHERE id = $1::text AND NOT EXISTS (SELECT FROM claimed)`,
  confirm: `UPDATE ${table} SET token = $3::text WHERE id = $1::text AND token = $2::text`,
  free: `DELETE FROM ${table} WHERE id = $1::text AND left(token, length($2::text)) = $2::text
  AND substr(token, length($2::text) + 1) < $3::text COLLATE "C"`
})

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/

/** Quoted, so that case counts and a reserved word is a name. PostgreSQL would cut a longer name without an error. */
function quoteTable(name: unknown): { table: string; index: string } {
  const parts = typeof name === 'string' ? name.split('.') : []
  const table = parts.at(-1)
  if (table === undefined || parts.length > 2 || !parts.every(part => IDENTIFIER.test(part))) {
    const rule = 'write name or schema.name, of ASCII letters, digits and underscores, at most 63 each'
    throw mistake('table is', name, rule)
  }
  return { table: `"${parts.join('"."')}"`, index: `"${table.slice(0, 52)}_expires_at"` }
}
