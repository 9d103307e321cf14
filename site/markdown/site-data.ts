import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Holds the names that the build knows before VitePress starts. A file passes them, because VitePress loads its own
 * configuration.
 */
export interface Names {
  /** the pages of the exports of the library and of the vectors, such as `/reference/createVerifier.md` */
  library: readonly [name: string, page: string][]
  vectors: readonly [name: string, page: string][]
  codes: readonly string[]
  /** the sidebar of the reference */
  sidebar: readonly { text: string; link: string; items: { text: string; link: string }[] }[]
}

export const BUILD = fileURLToPath(new URL('../.build', import.meta.url))
export const NAMES = `${BUILD}/names.json`

export function readNames(): Names {
  if (!existsSync(NAMES)) throw new Error('npm run site makes the pages first: site/.build/names.json is missing')
  return JSON.parse(readFileSync(NAMES, 'utf8'))
}
