import { readFileSync } from 'node:fs'

const { repository, homepage } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/**
 * The repository's address from package.json, without a slash at the end; undefined until package.json has it.
 * build/release.mjs refuses to publish without both addresses.
 */
export const REPOSITORY: string | undefined = repository?.url.replace(/^git\+|\.git$/g, '')

/** The site's address from package.json, without a slash at the end; undefined until package.json has it. */
export const SITE: string | undefined = homepage?.replace(/\/$/, '')
