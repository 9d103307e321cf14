import { readFileSync } from 'node:fs'

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')

/** These are the ten lines of the README, as a new user copies them. */
export const tenLines = /<!-- example: ten-lines\.mjs -->\n+```js\n([\s\S]*?)```\n/.exec(readme)?.[1] ?? ''

/** Rewrites them for a CommonJS file: `require` instead of `import`, and nothing else. */
export const tenLinesRequired = tenLines.replace(/^import (\{.*\}) from ('[\w:/-]+')$/gm, 'const $1 = require($2)')
