import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryReplayStore, sqliteReplayStore } from '../../src/replay/index.ts'
import { connect, createPostgresTable } from '../../test/unit/core/replay/store-clients.ts'
import { postgresServer } from '../../test/unit/replay/postgres-server.ts'
import { redisServer } from '../../test/unit/replay/redis-server.ts'
import { main, testing } from '../dist.ts'

const ONE_AFTER_ANOTHER = 3_000
const IN_FLIGHT = 64
const MANY = 30_000

/**
 * Measures the cost of a DNS query, and of a claim in each store, for the asking process. The servers are on the same
 * machine.
 */
export async function askedOfOthers(): Promise<void> {
  console.log('\nWhat is asked of others: microseconds of CPU in this process, and until the answer')
  await askDns()
  await askMemory()
  await askSqlite()
  await askRedis()
  await askPostgres()
}

async function askDns(): Promise<void> {
  const { records } = testing.createTestService()
  const server = fork(new URL('./dns-process.ts', import.meta.url), { execArgv: ['--import', 'tsx'] })
  server.send(records)
  const [address] = (await once(server, 'message')) as [string]
  const lookUp = main.dnsTxtLookup({ servers: [address] })
  const [name] = Object.keys(records)
  const { signal } = new AbortController()
  await print('DNS query', () => lookUp(name!, { signal }))
  server.disconnect()
}

async function askMemory(): Promise<void> {
  const store = memoryReplayStore()
  let claims = 0
  await print('claim in memory', () => store.claim(`benchmark-${claims++}`, `${claims}`, 600))
}

/** The store writes to the disk of the temporary folder. */
async function askSqlite(): Promise<void> {
  const sqlite = process.getBuiltinModule('node:sqlite') as typeof import('node:sqlite') | undefined
  if (sqlite === undefined) return console.log('claim in SQLite   left out: it needs Node.js 22.13 or later')
  const folder = mkdtempSync(join(tmpdir(), 'signed-requests-sqlite-'))
  const database = new sqlite.DatabaseSync(join(folder, 'replay.db'))
  const store = sqliteReplayStore(database)
  let claims = 0
  await print('claim in SQLite', () => store.claim(`benchmark-${claims++}`, `${claims}`, 600))
  database.close()
  rmSync(folder, { recursive: true })
}

async function askRedis(): Promise<void> {
  const server = await redisServer()
  await server.start()
  const { store, close } = await connect('node-redis', server.port)
  let claims = 0
  await print('claim in Redis', () => store.claim(`benchmark-${claims++}`, `${claims}`, 600))
  close()
  await server.remove()
}

async function askPostgres(): Promise<void> {
  const server = await postgresServer({ durable: true })
  await server.start()
  await createPostgresTable(server.port)
  const { store, close } = await connect('pg', server.port)
  let claims = 0
  await print('claim in Postgres', () => store.claim(`benchmark-${claims++}`, `${claims}`, 600))
  close()
  await server.remove()
}

async function print(name: string, ask: () => Promise<unknown>): Promise<void> {
  for (const [inFlight, times] of [
    [1, ONE_AFTER_ANOTHER],
    [IN_FLIGHT, MANY]
  ] as const) {
    let left = times
    const asking = async () => {
      while (left-- > 0) await ask()
    }
    const cpu = process.cpuUsage()
    const start = performance.now()
    await Promise.all(Array.from({ length: inFlight }, asking))
    const { user, system } = process.cpuUsage(cpu)
    const milliseconds = performance.now() - start
    const figures = [
      `${((user + system) / times).toFixed(0).padStart(4)} us of CPU`,
      `answered after ${((milliseconds * 1000 * inFlight) / times).toFixed(0)} us`,
      `${((times / milliseconds) * 1000).toFixed(0)} per second`
    ]
    console.log(`${name.padEnd(17)} ${String(inFlight).padStart(2)} in flight   ${figures.join('   ')}`)
  }
}
