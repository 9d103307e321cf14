import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { loadVectors } from 'signed-requests-vectors'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createVerifier } from '../../src/index.ts'
import { fromFixture } from '../../src/testing/index.ts'
import { createProject, type Project } from './project.ts'
import { compileProgram, type Program, RUNTIMES } from './runtimes.ts'

const vectors = loadVectors()
const refused = vectors.filter(({ verdict }) => verdict.status !== 'verified')
let project: Project
let program: Program
beforeAll(async () => {
  project = createProject()
  program = await compileProgram(project)
}, 120_000)
afterAll(() => project?.remove())

describe.each(RUNTIMES)('a recorder on $name $version ($package)', runtime => {
  test('keeps each refused vector in memory, as a fixture with the same verdict', async () => {
    const { kept, differing, error } = await program.run(runtime, 'recorder', { vectors })
    expect([error, differing]).toEqual([undefined, []])
    // A runtime may refuse here what it cannot verify as asked.
    expect(Math.abs(kept - refused.length)).toBeLessThanOrEqual(Object.keys(runtime.limits).length)
  })

  test.skipIf(runtime.command === undefined)('keeps the newest as files, which Node.js reads', async () => {
    const directory = join(project.folder, 'refused', runtime.package)
    expect(await program.run(runtime, 'recorder', { vectors, directory })).toMatchObject({ differing: [] })
    const names = readdirSync(directory)
    expect(names).toHaveLength(20)
    for (const name of names) {
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
      const { request, options, expected } = fromFixture(JSON.parse(readFileSync(join(directory, name), 'utf8')))
      expect((await createVerifier(options)(request)).status).toBe(expected.status)
    }
  })

  test.skipIf(runtime.command !== undefined)('refuses a directory where no file outlives a request', async () => {
    const input = { vectors, directory: '/tmp/refused' }
    const error = 'directory is a string: leave it out: this runtime keeps no files between requests'
    expect(await program.run(runtime, 'recorder', input)).toMatchObject({ kept: 0, error })
    // Since this date, a Worker has a file system of its own for each request.
    const port = await project.serveWorker('bundle.js', { date: '2026-10-01' })
    const body = JSON.stringify({ task: 'recorder', input })
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })
    expect(await response.json()).toMatchObject({ kept: 0, error })
  })
})
