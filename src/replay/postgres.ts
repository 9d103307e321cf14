import { atCaller, mistake, validateCall } from '../core/mistakes.ts'
import { assertCall, parseTableName, type ReplayStore } from '../core/replay/store.ts'

/** The part of a `pg` Pool or Client, version 8 or later, that `postgresReplayStore` uses. */
export interface PostgresClient {
  /** runs one statement; rejects when it is not certain that it was done */
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
}

const DEFAULT_TABLE = 'signed_requests_replay'

// Each claim adds one row, so any number above one removes rows faster than they arrive.
const REMOVED_PER_CLAIM = 4

/**
 * Makes a replay store in PostgreSQL 9.5 or later, for a receiver of several processes that has a database already.
 * Each call is one statement; a claim that is granted also deletes a few expired rows. No timer runs.
 *
 * A claim inside a transaction counts when that commits, so pass a Pool, or a Client that is in no transaction. Give
 * the pool time limits.
 *
 * @param pool a `pg` Pool or Client; yours to connect and to close
 * @param options.table `name` or `schema.name`, created with the statement of `postgresReplayTable`;
 *   `signed_requests_replay` by default
 * @throws TypeError for any other object, or a bad name
 *
 * @example
 * const verify = createVerifier({ ...options, replayStore: postgresReplayStore(pool) })
 */
export function postgresReplayStore(pool: PostgresClient, options: { table?: string | undefined } = {}): ReplayStore {
  const [{ table }] = validateCall(
    postgresReplayStore,
    'postgresReplayStore',
    options,
    ['table'],
    ({ table = DEFAULT_TABLE }) => [() => quoteTable(table), () => validatePool(pool)]
  )
  const { claim, release } = statementsFor(table)
  return {
    name: 'PostgreSQL',
    async claim(id, token, ttlSeconds) {
      assertCall(id, token, ttlSeconds)
      const { rows } = await pool.query(claim, [id, token, ttlSeconds]).catch(failWithCode)
      return rows.length === 1
    },
    async release(id, token, ttlSeconds) {
      assertCall(id, token, ttlSeconds)
      await pool.query(release, [id, token, ttlSeconds]).catch(failWithCode)
    }
  }
}

/**
 * Throws the error with a code. Those of the server have a SQLSTATE and those of the network a code of Node.js; what
 * `pg` says itself has none: the connection ended, none is free in time, the reply is late.
 */
function failWithCode(error: NodeJS.ErrnoException): never {
  const isOfClient = error?.name === 'Error' && error.code === undefined
  throw isOfClient ? Object.assign(error, { code: 'NOT_CONNECTED' }) : error
}

function validatePool(pool: Partial<PostgresClient> | null | undefined): void {
  if (typeof pool?.query !== 'function')
    throw mistake('pool is', pool, 'pass a Pool or a Client of "pg", version 8 or later')
}

/**
 * Returns the statements that create the table of `postgresReplayStore`, for a migration. They do nothing when it
 * exists.
 *
 * @param table `name` or `schema.name`: ASCII letters, digits and underscores, at most 63 each; case counts
 * @throws TypeError for a bad name
 *
 * @example
 * await pool.query(postgresReplayTable())
 */
export function postgresReplayTable(table: string = DEFAULT_TABLE): string {
  const { table: quoted, index } = atCaller(postgresReplayTable, () => quoteTable(table))
  return `CREATE TABLE IF NOT EXISTS ${quoted} (
  id text COLLATE "C" PRIMARY KEY,
  token text NOT NULL,
  released boolean NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${index} ON ${quoted} (expires_at);
`
}

/**
 * Compares the row's own time with `clock_timestamp()`, which advances while the statement waits for a row that another
 * session is writing; the rows to remove with `statement_timestamp()`, which can use an index. They are removed after
 * the insertion, so a session that waits for a row holds no other, and rows that another session holds are skipped:
 * claims cannot deadlock.
 */
const statementsFor = (table: string) => ({
  claim: `WITH claimed AS (
  INSERT INTO ${table} AS held (id, token, released, expires_at)
  VALUES ($1::text, $2::text, false, clock_timestamp() + $3::float8 * interval '1 second')
  ON CONFLICT (id) DO UPDATE SET token = excluded.token, released = false, expires_at = CASE
    WHEN held.token = excluded.token AND held.expires_at > clock_timestamp() THEN held.expires_at
    ELSE excluded.expires_at
  END
  WHERE held.expires_at <= clock_timestamp() OR held.released = (held.token <> excluded.token)
  RETURNING token
), removed AS (
  DELETE FROM ${table}
  WHERE id = ANY (ARRAY(
    SELECT id FROM ${table}
    WHERE expires_at <= statement_timestamp() AND id <> $1::text AND EXISTS (SELECT FROM claimed)
    ORDER BY expires_at LIMIT ${REMOVED_PER_CLAIM}
    FOR UPDATE SKIP LOCKED
  )) AND expires_at <= statement_timestamp()
)
SELECT token FROM claimed`,
  release: `INSERT INTO ${table} AS held (id, token, released, expires_at)
  VALUES ($1::text, $2::text, true, clock_timestamp() + $3::float8 * interval '1 second')
  ON CONFLICT (id) DO UPDATE SET token = excluded.token, released = true, expires_at = excluded.expires_at
  WHERE held.expires_at <= clock_timestamp() OR held.released OR held.token = excluded.token`
})

/**
 * Quotes the name, so that case counts and a reserved word is a name. PostgreSQL would cut a longer name without an
 * error.
 */
function quoteTable(name: unknown): { table: string; index: string } {
  const [table, schema] = parseTableName(name, 2)
  const quoted = schema === undefined ? `"${table}"` : `"${schema}"."${table}"`
  return { table: quoted, index: `"${table.slice(0, 52)}_expires_at"` }
}
