import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

// This module is next to `page/` and one below package.json, here and in the bundle in `dist/`.
export const VERSION: string = require('../package.json').version

/** Loads the static files of the page by path, each with its type. */
export function loadPage(): ReadonlyMap<string, { type: string; bytes: Buffer }> {
  const file = (type: string, name: string) => ({
    type: `${type}; charset=utf-8`,
    bytes: readFileSync(new URL(`./page/${name}`, import.meta.url))
  })
  return new Map([
    ['/', file('text/html', 'index.html')],
    ['/page.js', file('text/javascript', 'page.js')],
    ['/page.css', file('text/css', 'page.css')],
    ['/icon.svg', file('image/svg+xml', 'icon.svg')]
  ])
}
