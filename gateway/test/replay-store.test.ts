import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { DatabaseSync } from '../../test/support/sqlite.ts'
import { connectReplayStore, NO_CLAIMS } from '../src/replay-store.ts'

/** A file that does not exist, and `node:sqlite` of a later Node.js. */
function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'replay-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const builtin = vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ DatabaseSync } as never)
  onTestFinished(() => builtin.mockRestore())
  return join(folder, 'replay.db')
}

test('--sqlite makes a file that nobody else can read, and claims an id once', async () => {
  const file = newFile()
  const { store, close } = await connectReplayStore({ kind: 'sqlite', url: file })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(store?.name).toBe(`SQLite at ${file}`)
  expect(await store?.claim('id', 'one', 60)).toBe(true)
  expect(await store?.claim('id', 'two', 60)).toBe(false)
  await close()
  const again = await connectReplayStore({ kind: 'sqlite', url: file })
  expect(await again.store?.claim('id', 'two', 60)).toBe(false)
  await again.close()
})

test('--sqlite with a file that is not a database says so in one line, and leaves the file as it is', async () => {
  const file = newFile()
  writeFileSync(file, 'not a database '.repeat(500))
  await expect(connectReplayStore({ kind: 'sqlite', url: file })).rejects.toThrow(
    /^the replay store in SQLite cannot be used: .*not a database$/
  )
  expect(readFileSync(file, 'utf8')).toMatch(/^not a database /)
})

test('without a database the store is in memory, or there is none', async () => {
  const { store, close } = await connectReplayStore({ kind: 'memory' })
  expect([await store?.claim('id', 'one', 60), await store?.claim('id', 'two', 60)]).toEqual([true, false])
  await close()
  expect((await connectReplayStore({ kind: 'none' })).store).toBeUndefined()
})

test('the store of a gateway that claims nothing accepts every claim', async () => {
  expect([await NO_CLAIMS.claim('id', 'one', 60), await NO_CLAIMS.claim('id', 'two', 60)]).toEqual([true, true])
})
