import { setTimeout } from 'node:timers/promises'
import { Pool, type PoolClient } from 'pg'

export interface Event {
  account: string
  id: string
  body: Buffer
}
type Handle = (event: Event, client: PoolClient) => Promise<void>

// A lost connection, idle or in use, ends a process that has no listener for it.
const report = (error: Error) => console.error(error)
const pool = new Pool()
  .on('error', report)
  .on('connect', client => client.on('error', report))
const TAKE = `SELECT account, id, body FROM events WHERE due <= now()
  ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED`

/**
 * Handles one event; returns false if none is due. What `handle` writes with the client
 * is committed with it, or not at all.
 */
export async function workOnce(handle: Handle): Promise<boolean> {
  const client = await pool.connect()
  let failed = true
  try {
    await client.query('BEGIN')
    const [event] = (await client.query<Event>(TAKE)).rows
    if (event !== undefined) {
      await client.query('SAVEPOINT taken')
      const due = await handle(event, client).catch(async error => {
        console.error(error)
        await client.query('ROLLBACK TO SAVEPOINT taken')
        return new Date(Date.now() + 60_000) // again in a minute; other events first
      })
      const { account, id } = event
      await client.query('UPDATE events SET due = $3 WHERE account = $1 AND id = $2', [
        account,
        id,
        due
      ])
    }
    await client.query('COMMIT')
    failed = false
    return event !== undefined
  } finally {
    client.release(failed) // true closes the connection, so PostgreSQL rolls back
  }
}

/** In as many processes as you like: no two get the same event. */
export async function work(handle: Handle, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const worked = await workOnce(handle).catch(error => console.error(error))
    if (worked !== true) await setTimeout(1000, undefined, { signal }).catch(() => {})
  }
}
