import { existsSync } from 'node:fs'

/** The package as it is published, with the types of its source (which are there before it is built). */
type Main = typeof import('../src/index.ts')
type Rfc9421 = typeof import('../src/standards/rfc9421/index.ts')
type Testing = typeof import('../src/testing/index.ts')

const built = (file: string): string => new URL(`../dist/${file}`, import.meta.url).href

if (!existsSync(new URL(built('index.js')))) throw new Error('dist/ is missing: npm run build')

export const main: Main = await import(built('index.js'))
export const testing: Testing = await import(built('testing/index.js'))
export const { rfc9421 }: Rfc9421 = await import(built('rfc9421/index.js'))
