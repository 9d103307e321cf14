import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { blocksOf, PAGES, ROOT, read } from './pages.ts'

const examples = ['', 'stores/'].flatMap(folder =>
  readdirSync(`${ROOT}/examples/${folder}`)
    .filter(name => /\.m?[jt]s$/.test(name))
    .map(name => folder + name)
)
const blocks = PAGES.flatMap(blocksOf)
const shown = blocks.filter(({ note }) => note.startsWith('example: '))

/** Matches the options of the verifier, which are the same in every example: docs/frameworks.md has them once. */
const OPTIONS =
  /createVerifier\(\{\s*serviceDomain: 'service\.example',\s*hosts: 'receiver\.example',\s*accounts: '1234'(,\s*replayStore: memoryReplayStore\(\))?\s*\}\)/g
const WITHOUT_OPTIONS = ['docs/frameworks.md', 'docs/middleware.md']
const withoutOptions = (code: string): string =>
  code.replace(OPTIONS, (_, store?: string) =>
    store === undefined ? 'createVerifier(options)' : 'createVerifier({ ...options, replayStore: memoryReplayStore() })'
  )
const shownOn = (page: string, code: string): string => (WITHOUT_OPTIONS.includes(page) ? withoutOptions(code) : code)

describe('pages show the examples as they are', () => {
  test.each(shown.map(block => ({ ...block, name: block.note.slice('example: '.length) })))(
    '$page: $name',
    ({ page, name, code }) => {
      expect(code).toBe(shownOn(page, read(`examples/${name}`)))
    }
  )

  test('docs/frameworks.md has the options of the verifier once, and names the file of each example', () => {
    const page = read('docs/frameworks.md')
    const names = [...page.matchAll(/^<!-- example: (.*) -->$/gm)].map(([, name]) => name)
    const linked = [...page.matchAll(/^`examples\/(.*)`$/gm)].map(([, name]) => name)
    expect(linked).toEqual(names)
    expect(page.match(/serviceDomain:/g)).toHaveLength(1)
  })

  test('every marker is directly above its code', () => {
    const markers = PAGES.flatMap(page => read(page).match(/^<!-- example: /gm) ?? [])
    expect(shown).toHaveLength(markers.length)
  })
})

test.each(examples)('%s is shown on a page', name => {
  const code = read(`examples/${name}`)
  const withoutIntroduction = code.replace(/^(?:\/\/.*\n)+/, '')
  const found = blocks.some(block => [code, withoutIntroduction, withoutOptions(code)].includes(block.code))
  expect(found, `no page shows examples/${name}`).toBe(true)
})

test.each(examples)('%s is in the list of examples/README.md', name => {
  expect(read('examples/README.md')).toContain(`(${name})`)
})

/** Counts the lines of an example besides blank ones, comments and the verifier's own. */
const ownLines = (name: string): number =>
  read(`examples/${name}`)
    .replace(/^const verify = createVerifier\(\{[\s\S]*?^\}\)$/m, '')
    .split('\n')
    .filter(line => !/^\s*(?:\/\/.*)?$/.test(line)).length

const SHORTEST = ['node-http.ts', 'fastify.ts', 'koa.ts', 'hono.ts', 'nest.ts']
const LIMITS: Readonly<Record<string, number>> = {
  'handler.test.mjs': 24,
  'express-json.ts': 20,
  'nest.ts': 15,
  'trpc.ts': 24,
  'work-later-receive.ts': 23
}
const handlers = examples.filter(name => /\b(?:node|fetch|lambda)Handler[(<]/.test(read(`examples/${name}`)))

test.each(handlers)('%s has at most a few lines of its own', name => {
  expect(ownLines(name)).toBeLessThanOrEqual(LIMITS[name] ?? (SHORTEST.includes(name) ? 12 : 17))
})
