// Locks what is installed in the gateway's image, at the versions of this repository's own lock, which its tests ran
// with: node build/image-lock.mjs FOLDER PACKAGE...
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder, ...packages] = process.argv.slice(2)
const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
// The packages of the workspaces are not links in the image.
const installed = Object.entries(lock.packages).filter(([path, { link }]) => path.startsWith('node_modules/') && !link)
const write = (name, content) => writeFileSync(join(folder, name), `${JSON.stringify(content, null, 2)}\n`)
mkdirSync(folder, { recursive: true })
write('package.json', { private: true })
write('package-lock.json', { lockfileVersion: lock.lockfileVersion, packages: Object.fromEntries(installed) })
// npm keeps the versions that fit, and leaves out the packages that nothing needs.
const quiet = ['--ignore-scripts', '--no-audit', '--no-fund']
execFileSync('npm', ['install', '--package-lock-only', ...quiet, ...packages], { cwd: folder, stdio: 'inherit' })
