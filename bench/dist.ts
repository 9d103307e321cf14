import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Names the package as it is published, with the types of its source, which exist before it is built. */
type Main = typeof import('../src/index.ts')
type Rfc9421 = typeof import('../src/rfc9421/index.ts')
type Testing = typeof import('../src/testing/index.ts')

const built = (file: string): string => new URL(`../dist/${file}`, import.meta.url).href

if (!existsSync(new URL(built('index.js')))) throw new Error('dist/ is missing: npm run build')

export const main: Main = await import(built('index.js'))
export const testing: Testing = await import(built('testing/index.js'))
export const { rfc9421 }: Rfc9421 = await import(built('rfc9421/index.js'))

/** Names a build and its folder. */
export interface Build {
  name: string
  folder: string
  main: Main
}

const at = process.argv.indexOf('--beside')
const beside = at < 0 ? undefined : resolve(process.argv[at + 1] ?? '')

/** Lists this build and that of `--beside DIST`; both run alternately in one process. */
export const builds: readonly Build[] = [
  { name: 'ours', folder: fileURLToPath(built('')), main },
  ...(beside === undefined
    ? []
    : [{ name: 'beside', folder: beside, main: await import(pathToFileURL(`${beside}/index.js`).href) }])
]
