import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** paths in the tarball */
    files: readonly string[]
    /** a new user's folder after `npm init -y && npm install <tarball>` */
    folder: string
  }
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Packs the package as it is built and installs the tarball, once for all tests. */
export default function install(project: TestProject): () => void {
  const temporary = mkdtempSync(join(tmpdir(), 'package-'))
  const folder = join(temporary, 'receiver')
  mkdirSync(folder)
  const [packed] = JSON.parse(
    npm(ROOT, 'pack', '--json', '--ignore-scripts', '--pack-destination', temporary)
  )
  npm(folder, 'init', '-y')
  npm(folder, 'install', '--no-audit', '--no-fund', '--prefer-offline', join(temporary, packed.filename))
  project.provide(
    'files',
    packed.files.map(({ path }: { path: string }) => path)
  )
  project.provide('folder', folder)
  return () => rmSync(temporary, { recursive: true })
}

/** As typed in a shell: without what `npm run` has told its script about this project. */
function npm(cwd: string, ...args: string[]): string {
  const env = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?:package|lifecycle)|^npm_config_(?:local_)?prefix$/i.test(name)
  )
  return execFileSync('npm', args, { cwd, env: Object.fromEntries(env), encoding: 'utf8' })
}
