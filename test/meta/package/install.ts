import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** paths in the library's tarball */
    files: readonly string[]
    /** bytes of the library's tarball, packed and unpacked */
    weight: { packed: number; unpacked: number }
    /** a new user's folder after `npm init -y && npm install <tarball>` */
    folder: string
    /** the same with the gateway's tarball and the library's, and with that of the vectors alone */
    gatewayFolder: string
    vectorsFolder: string
  }
}

interface Packed {
  path: string
  size: number
  unpackedSize: number
  files: { path: string }[]
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Packs the packages as they are built and installs the tarballs as new users do, once for all tests. */
export default function install(project: TestProject): () => void {
  const temporary = mkdtempSync(join(tmpdir(), 'package-'))
  const pack = (folder: string): Packed => {
    const to = ['--pack-destination', temporary]
    const output = JSON.parse(npm(join(ROOT, folder), 'pack', '--json', '--ignore-scripts', ...to))
    // npm 12 reports each tarball by its package.
    const [packed] = Array.isArray(output) ? output : Object.values<(typeof output)[string]>(output)
    return { ...packed, path: join(temporary, packed.filename) }
  }
  const installed = (name: string, ...tarballs: string[]): string => {
    const folder = join(temporary, name)
    mkdirSync(folder)
    npm(folder, 'init', '-y')
    npm(folder, 'install', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs)
    return folder
  }
  const library = pack('.')
  const files = library.files.map(({ path }) => path)
  project.provide('files', files)
  project.provide('weight', { packed: library.size, unpacked: library.unpackedSize })
  project.provide('folder', installed('receiver', library.path))
  project.provide('gatewayFolder', installed('gateway', library.path, pack('gateway').path))
  project.provide('vectorsFolder', installed('vectors', pack('fixtures').path))
  return () => rmSync(temporary, { recursive: true })
}

/** Runs npm as from a shell: without the variables in which `npm run` describes this project. */
function npm(cwd: string, ...args: string[]): string {
  const ours = /^npm_(?:package|lifecycle)|^npm_config_(?:local_)?prefix$/i
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)))
  return execFileSync('npm', args, { cwd, env, encoding: 'utf8' })
}
