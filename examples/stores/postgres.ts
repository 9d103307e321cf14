import { Pool } from 'pg'
import { postgresReplayStore } from 'signed-requests/replay'

export const postgresPool = (connectionString: string) =>
  new Pool({
    connectionString,
    connectionTimeoutMillis: 1000,
    query_timeout: 2500,
    keepAlive: true
  }).on('error', console.error)

export const postgresStore = (pool: Pool) =>
  postgresReplayStore(pool, { table: 'signed_requests_replay' })
