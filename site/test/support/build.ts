import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** the folder of the site that was built for a server with other things at its root */
    belowPath: string
  }
}

/** The path below which GitHub Pages serves a project. */
export const BELOW = '/signed-requests/'

/** Builds the site once more, below a path. `npm run test:site` has built the one at the root. */
export default async function setup({ provide }: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'site-'))
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const env = { ...process.env, SITE_BASE: BELOW, SITE_DIST: folder, NODE_ENV: 'production' }
  await promisify(execFile)('npx', ['tsx', 'site/build.ts'], { cwd: root, env, maxBuffer: 1e8 })
  provide('belowPath', folder)
  return () => rmSync(folder, { recursive: true })
}
