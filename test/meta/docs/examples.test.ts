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

describe('pages show the examples as they are', () => {
  test.each(shown.map(block => ({ ...block, name: block.note.slice('example: '.length) })))(
    '$page: $name',
    ({ name, code }) => {
      expect(code).toBe(read(`examples/${name}`))
    }
  )

  test('docs/frameworks.md has the verifier that its examples import, once', () => {
    const blocks = blocksOf('docs/frameworks.md').filter(({ note }) => note.startsWith('example: '))
    expect(blocks.filter(({ note }) => note === 'example: verify.ts')).toHaveLength(1)
    expect(blocks.filter(({ code }) => code.includes('createVerifier('))).toHaveLength(1)
  })

  test('every marker is directly above its code', () => {
    const markers = PAGES.flatMap(page => read(page).match(/^<!-- example: /gm) ?? [])
    expect(shown).toHaveLength(markers.length)
  })
})

test.each(examples)('%s is shown on a page', name => {
  const code = read(`examples/${name}`)
  const withoutIntroduction = code.replace(/^(?:\/\/.*\n)+/, '')
  const found = blocks.some(block => [code, withoutIntroduction].includes(block.code))
  expect(found, `no page shows examples/${name}`).toBe(true)
})

test.each(examples)('%s is in the list of examples/README.md', name => {
  expect(read('examples/README.md')).toContain(`(${name})`)
})

/** Counts the lines of an example besides blank ones, comments and imports. */
const ownLines = (name: string): number =>
  read(`examples/${name}`)
    .replace(/^import [\s\S]*? from .*$/gm, '')
    .replace(/^const verify = createVerifier\(\{[\s\S]*?^\}\)$/m, '')
    .split('\n')
    .filter(line => !/^\s*(?:\/\/.*)?$/.test(line)).length

const handlers = examples.filter(name => /\b(?:node|fetch|lambda)Handler[(<]/.test(read(`examples/${name}`)))

test.each(handlers)('%s has at most 24 lines of its own', name => {
  expect(ownLines(name)).toBeLessThanOrEqual(24)
})
