import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installProject, type Project } from './project.ts'
import { RUNTIMES } from './runtimes.ts'

let project: Project
beforeAll(async () => {
  project = await installProject()
  cpSync(fileURLToPath(new URL('program/limits.mjs', import.meta.url)), join(project.folder, 'limits.mjs'))
}, 120_000)
afterAll(() => project?.remove())

const NAMES = ['node-20', 'node-24']

test.each(RUNTIMES.filter(({ package: name }) => NAMES.includes(name)))(
  'the installed package keeps its limits, claims and releases on $package',
  async ({ package: name, command }) => {
    const [node, ...args] = command!
    const again = [500, 204, 401]
    expect(JSON.parse(await project.run(node, ...args, 'limits.mjs', project.folder))).toEqual({
      method: ['request-malformed'],
      memory: again,
      document: { codes: ['body-too-large'], isSmall: true },
      recorded: { isBounded: true, hasNewest: true },
      // Node.js 20 has no node:sqlite.
      ...(name !== 'node-20' && {
        sqlite: again,
        deletedLog: 'SQLITE_READONLY_DBMOVED',
        replacedLog: 'SQLITE_READONLY_DBMOVED'
      })
    })
  }
)
