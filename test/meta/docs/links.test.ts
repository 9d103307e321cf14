import { readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../../cli/commands.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { anchorsOf, CODE_PAGES, exists, linksOf, PAGES, proseOf, ROOT, read, repositoryFiles } from './pages.ts'

const INDEX = 'docs/README.md'

const isUrl = (target: string): boolean => /^[a-z][a-z+.-]*:/i.test(target)

/** Returns what is wrong with a link from this page, or undefined. */
function problemOf(page: string, target: string): string | undefined {
  if (isUrl(target)) return target.startsWith('https://') ? undefined : 'is not an https URL'
  const [path, anchor] = target.split('#') as [string, string?]
  const file = path === '' ? page : posix.normalize(posix.join(posix.dirname(page), path))
  if (!exists(file)) return `${file} does not exist`
  if (anchor === undefined) return undefined
  if (!file.endsWith('.md')) return 'has an anchor in a file without headings'
  return anchorsOf(proseOf(file)).has(anchor) ? undefined : `${file} has no heading #${anchor}`
}

describe('links and anchors', () => {
  test.each([...PAGES, ...CODE_PAGES])('%s', page => {
    const problems = linksOf(proseOf(page)).map(target => ({ target, problem: problemOf(page, target) }))
    expect(problems.filter(({ problem }) => problem !== undefined)).toEqual([])
  })
})

const files = repositoryFiles().filter(name => /\.(?:ts|mjs|cts|mts)$/.test(name))

test('every page that code points to exists, with its heading', () => {
  const wrong = files.flatMap(file =>
    [...read(file).matchAll(/(?<![\w/.-])(docs\/[\w-]+\.md)(?:#([\w-]+))?/g)]
      .filter(([, page, anchor]) => !exists(page!) || (anchor && !anchorsOf(proseOf(page!)).has(anchor)))
      .map(([link]) => `${file}: ${link}`)
  )
  expect(wrong).toEqual([])
})

describe('scripts, entries, commands, files and folders that pages mention exist', () => {
  const scripts = Object.keys(manifest.scripts)
  const entries = Object.keys(manifest.exports).map(name => posix.join('signed-requests', name))

  /** Returns the names on a page that lead nowhere. */
  const missing = (page: string, pattern: RegExp, isThere: (name: string) => boolean): string[] =>
    [...read(page).matchAll(pattern)].map(([, name]) => name!).filter(name => !isThere(name))

  test.each(PAGES)('%s', page => {
    expect(missing(page, /\bnpm run ([\w:-]+)/g, name => scripts.includes(name))).toEqual([])
    expect(missing(page, /['"`](signed-requests\/[\w-]+)['"`]/g, name => entries.includes(name))).toEqual([])
    expect(missing(page, /\bnpx signed-requests ([a-z]+)\b/g, name => Object.hasOwn(COMMANDS, name))).toEqual([])
    const pattern = /`((?:src|test|examples|fixtures|bench|docs|\.github|\.ci)\/[\w./-]*)`/g
    expect(missing(page, pattern, name => exists(name) || exists(`${posix.dirname(page)}/${name}`))).toEqual([])
  })
})

test('every page of docs/ is in the index', () => {
  const linked = new Set(linksOf(proseOf(INDEX)).map(target => target.split('#')[0]))
  const pages = readdirSync(`${ROOT}/docs`).filter(name => /\.(?:md|yml)$/.test(name) && `docs/${name}` !== INDEX)
  expect(pages.filter(page => !linked.has(page))).toEqual([])
})

test('the index links each framework', () => {
  const others = ['The verifier', 'Handlers', 'Read the body']
  const headings = proseOf('docs/frameworks.md').match(/^## .*$/gm) ?? []
  const frameworks = headings.filter(heading => !others.includes(heading.slice(3)))
  expect(frameworks.length).toBeGreaterThan(10)
  const anchors = [...anchorsOf(frameworks.join('\n'))].map(anchor => `frameworks.md#${anchor}`)
  expect(linksOf(proseOf(INDEX))).toEqual(expect.arrayContaining(anchors))
})

const DOCS = PAGES.filter(page => page.startsWith('docs/') && page !== INDEX)

test.each(DOCS)('%s has a way back to all pages', page => {
  expect(proseOf(page).split('\n\n')[1]).toMatch(/^\[All pages\]\(README\.md\)/)
})

test.each([
  ['which account id', 'account.md#find-your-account-id'],
  ['which header', 'account.md#which-header'],
  ['behind Traefik', 'behind-a-proxy.md#traefik'],
  ['a body parser', 'troubleshooting.md#digest-mismatch-for-every-request'],
  ['the key was rotated', 'keys-and-dns.md#rotate-a-key'],
  ['DNS is down', 'troubleshooting.md#503-and-the-sender-keeps-retrying'],
  ['a request comes twice', 'replay-and-retries.md#replay-or-retry'],
  ['a store of your own', 'write-a-store.md'],
  ['a test in CI', 'testing.md#in-a-test'],
  ['PHP', 'gateway.md']
])('the index answers with one click: %s', (_, target) => expect(linksOf(proseOf(INDEX))).toContain(target))

test('no file names a host that does not exist', () => {
  const texts = repositoryFiles().filter(name => /\.(?:md|txt|[cm]?[jt]s|json|ya?ml|vue|html|svg)$/.test(name))
  const placeholder = ['signed-requests', 'example'].join('.')
  expect(texts.filter(name => read(name).includes(placeholder))).toEqual([])
})
