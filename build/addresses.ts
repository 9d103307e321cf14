import { readFileSync } from 'node:fs'

/** Stands for both addresses until package.json has them; build/release.mjs refuses to publish without them. */
const PLACEHOLDER = 'https://signed-requests.example'

const { repository, homepage } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** Returns the repository's address from package.json, without a slash at the end. */
export const REPOSITORY: string = repository?.url.replace(/^git\+|\.git$/g, '') ?? PLACEHOLDER

/** Returns the site's address from package.json, without a slash at the end. */
export const SITE: string = homepage?.replace(/\/$/, '') ?? PLACEHOLDER
