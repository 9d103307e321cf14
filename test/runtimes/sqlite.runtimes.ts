import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { replayStoreContract } from '../../src/testing/index.ts'
import { createProject, type Project } from './project.ts'
import { RUNTIMES } from './runtimes.ts'

// Node.js 20 has no node:sqlite, and a Worker has no file.
const NAMES = ['node-22', 'node-24', 'node-26', 'bun', 'deno']
const RUNNING = RUNTIMES.filter(runtime => NAMES.includes(runtime.package))

describe.each(RUNNING)('sqliteReplayStore on $package', runtime => {
  let project: Project
  beforeAll(async () => {
    project = createProject()
    const source = fileURLToPath(new URL('program/sqlite.ts', import.meta.url))
    await project.bundle(source, 'sqlite.mjs', '--packages=external', '--tsconfig-raw={}')
  })
  afterAll(() => project?.remove())

  const start = (task: string): ChildProcess => {
    const [command, ...args] = runtime.command!
    const cwd = project.folder
    return spawn(command!, [...args, 'sqlite.mjs', task, cwd], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  }
  const resultOf = async (task: string) => (await json(start(task).stdout!)) as Record<string, unknown>
  /** Returns the ids that the processes were granted, in the order of the numbers. */
  const granted = (): number[] =>
    readdirSync(project.folder)
      .filter(name => name.startsWith('granted-'))
      .flatMap(name => readFileSync(join(project.folder, name), 'utf8').trim().split('\n'))
      .filter(line => line !== '')
      .map(Number)
      .sort((a, b) => a - b)

  test('keeps the contract of a store', async () => {
    const cases = replayStoreContract(() => expect.unreachable())
    expect(await resultOf('contract')).toEqual(cases.map(({ name }) => [name, 'passed']))
  })

  test('does what the table says, in every order', async () => expect(await resultOf('orders')).toEqual([]))

  test('grants each of 20,000 ids once to two processes, one of which is killed, and none again after a restart', async () => {
    const both = [start('race'), start('race')] as const
    const ended = both.map(child => once(child, 'exit'))
    while (granted().length < 5000) await new Promise(resolve => setTimeout(resolve, 20))
    both[0].kill('SIGKILL')
    await Promise.all(ended)
    const before = granted()
    // The one id whose answer was lost is held, too.
    expect(before.length).toBeGreaterThanOrEqual(19_999)
    expect(new Set(before).size).toBe(before.length)
    await Promise.all([start('race'), start('race')].map(child => once(child, 'exit')))
    expect(granted()).toEqual(before)
  })

  test('holds up no event loop, and rejects with the code of a full, deleted, replaced and damaged file', async () => {
    const { turns, ...outcomes } = await resultOf('trouble')
    expect(outcomes).toEqual({
      first: true,
      waiting: true,
      full: 'SQLITE_FULL',
      deleted: 'SQLITE_READONLY_DBMOVED',
      replaced: 'SQLITE_READONLY_DBMOVED',
      // exec() of Deno gives no number.
      damaged: runtime.package === 'deno' ? 'ERR_SQLITE_ERROR' : 'SQLITE_NOTADB'
    })
    expect(turns).toBeGreaterThan(20)
  })
})
