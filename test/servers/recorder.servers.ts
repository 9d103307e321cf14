import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createVerifier } from '../../src/index.ts'
import { createRecorder } from '../../src/recorder/index.ts'
import { service } from '../support/service.ts'

/** Mounts a file system of its own, which needs root. */
function mountDisk(options: string): string {
  const disk = mkdtempSync(join(tmpdir(), 'disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', disk])
  onTestFinished(() => {
    execFileSync('umount', [disk])
    rmSync(disk, { recursive: true })
  })
  return disk
}

test.each<[name: string, options: string, after: string[], code: string]>([
  ['is full', 'size=32k', [], 'ENOSPC'],
  ['is read-only', 'size=1m', ['-o', 'remount,ro'], 'EROFS']
])('a disk that %s changes no verdict and no memory, is said once, and leaves no half file', async (...row) => {
  const [, options, after, code] = row
  const disk = mountDisk(options)
  const directory = join(disk, 'refused')
  const recorder = createRecorder({ directory })
  if (after.length > 0) execFileSync('mount', [...after, disk])
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => said.mockRestore())
  const verify = createVerifier({ ...service.options, recorder })
  for (let i = 0; i < 200; i++) {
    const verdict = await verify({ ...service.sign({ body: '{}' }), body: '[]' })
    expect(verdict.failures).toMatchObject([{ code: 'digest-mismatch' }])
  }
  await recorder.written()
  expect(said.mock.calls.flat()).toEqual([expect.stringContaining(`(${code})`)])
  expect(recorder.fixtures()).toHaveLength(50)
  for (const name of readdirSync(directory)) JSON.parse(readFileSync(join(directory, name), 'utf8'))
})
