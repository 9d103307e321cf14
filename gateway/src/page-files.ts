import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

// This module is next to `page/` and one below package.json, here and in the bundle in `dist/`.
export const VERSION: string = require('../package.json').version

/** The static files of the page by path, each with its type. */
export function loadPage(): ReadonlyMap<string, { type: string; bytes: Buffer }> {
  const file = (type: string, at: URL | string) => ({
    type: `${type}; charset=utf-8`,
    bytes: readFileSync(at)
  })
  const own = (type: string, name: string) => file(type, new URL(`./page/${name}`, import.meta.url))
  return new Map([
    ['/', own('text/html', 'index.html')],
    ['/page.js', own('text/javascript', 'page.js')],
    ['/page.css', own('text/css', 'page.css')],
    ['/pico.css', file('text/css', require.resolve('@picocss/pico/css/pico.fluid.classless.min.css'))],
    ['/icon.svg', own('image/svg+xml', 'icon.svg')]
  ])
}
