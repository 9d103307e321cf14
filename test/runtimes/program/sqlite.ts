// Runs a store in SQLite on one runtime: `sqlite.mjs contract|orders|race|trouble FOLDER`, for Node.js, Deno and Bun.
import { closeSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type ReplayStore, sqliteReplayStore } from 'signed-requests/replay'
import { replayStoreContract } from 'signed-requests/testing'
import { differingOrders } from '../../unit/replay/orders.ts'

interface Database {
  exec(sql: string): unknown
  prepare(sql: string): {
    all(...values: (string | number)[]): unknown[]
    run(...values: (string | number)[]): unknown
  }
  close(): void
}

const [task, folder] = process.argv.slice(2) as [string, string]
const file = join(folder, 'replay.db')

async function open(path = file): Promise<Database> {
  if ('bun' in process.versions) {
    const { Database } = await import('bun:sqlite' as string)
    return new Database(path)
  }
  const { DatabaseSync } = await import('node:sqlite')
  return new DatabaseSync(path)
}

const report = (value: unknown): void => console.log(JSON.stringify(value))
const messageOf = (error: Error): string => error.message

const TASKS: Record<string, () => Promise<void>> = {
  async contract() {
    const cases = replayStoreContract(async () => sqliteReplayStore(await open()))
    const outcomeOf = (run: () => Promise<void>) => run().then(() => 'passed', messageOf)
    report(await Promise.all(cases.map(async ({ name, run }) => [name, await outcomeOf(run)])))
  },
  async orders() {
    const database = await open()
    const store = sqliteReplayStore(database)
    await store.release('any', 'token', 1)
    const expire = async (ids: readonly string[]) => {
      const update = database.prepare('UPDATE signed_requests_replay SET expires_at = 1 WHERE id = ?')
      for (const id of ids) update.run(id)
    }
    report(await differingOrders(store, expire))
  },
  /** Claims ids until it is killed or done, and prints each granted id at once. */
  async race() {
    const store = sqliteReplayStore(await open())
    const out = openSync(join(folder, `granted-${process.pid}`), 'a')
    for (let n = 0; n < 20_000; n++)
      if (await store.claim(`id-${n}`, `${process.pid}-${n}`, 600)) writeSync(out, `${n}\n`)
    closeSync(out)
  },
  async trouble() {
    const outcomes: Record<string, unknown> = {}
    const attempt = (store: ReplayStore, id: string) => store.claim(id, 'token', 60).catch(({ code }) => code)
    const store = sqliteReplayStore(await open())
    outcomes['first'] = await attempt(store, 'first')

    // While another connection writes, the event loop keeps running, and the claim is granted afterwards.
    const writer = await open()
    writer.exec('BEGIN IMMEDIATE')
    let turns = 0
    const counting = setInterval(() => {
      turns += 1
    }, 5)
    const waiting = attempt(store, 'waiting')
    await new Promise(resolve => setTimeout(resolve, 500))
    writer.exec('COMMIT')
    outcomes['waiting'] = await waiting
    clearInterval(counting)
    outcomes['turns'] = turns

    const full = await open(join(folder, 'full.db'))
    const fullStore = sqliteReplayStore(full)
    await attempt(fullStore, 'first')
    const [{ page_count: pages }] = full.prepare('PRAGMA page_count').all() as [{ page_count: number }]
    full.exec(`PRAGMA max_page_count = ${pages}`)
    let outcome: unknown = true
    for (let n = 0; outcome === true && n < 1000; n++) outcome = await attempt(fullStore, `full-${n}`)
    outcomes['full'] = outcome

    renameSync(file, `${file}.moved`)
    outcomes['deleted'] = await attempt(store, 'deleted')
    writeFileSync(file, '')
    outcomes['replaced'] = await attempt(store, 'replaced')
    rmSync(file)

    const damaged = join(folder, 'damaged.db')
    writeFileSync(damaged, 'this is no database '.repeat(500))
    outcomes['damaged'] = await attempt(sqliteReplayStore(await open(damaged)), 'damaged')
    report(outcomes)
  }
}

await TASKS[task]!()
