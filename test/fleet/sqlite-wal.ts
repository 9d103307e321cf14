// Prints how large the WAL of a replay store grows: while a backup reads the file in one transaction, and while copies
// are made with VACUUM INTO.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqliteReplayStore } from '../../src/replay/index.ts'

const CLAIMS = 10_000

async function walAfter(disturb: (file: string, at: number) => void): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-wal-'))
  const file = join(folder, 'replay.db')
  const store = sqliteReplayStore(new DatabaseSync(file))
  for (let at = 0; at < CLAIMS; at++) {
    await store.claim(`id-${at}`, 'token', 600)
    disturb(file, at)
  }
  const { size } = statSync(`${file}-wal`)
  rmSync(folder, { recursive: true })
  return size
}

const reader: { open?: DatabaseSync } = {}
console.log(
  JSON.stringify({
    undisturbed: await walAfter(() => {}),
    whileRead: await walAfter((file, at) => {
      if (at > 0) return
      reader.open = new DatabaseSync(file)
      reader.open.exec('BEGIN; SELECT count(*) FROM signed_requests_replay')
    }),
    whileCopied: await walAfter((file, at) => {
      if (at % 2500 !== 0) return
      const copying = new DatabaseSync(file)
      copying.exec(`VACUUM INTO '${file}-${at}'`)
      copying.close()
    })
  })
)
