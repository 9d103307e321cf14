import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROOT, read } from './pages.ts'

const sources = readdirSync(`${ROOT}/src`, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))

// An editor shows the comment beside the name alone: `true by default` does not say what is true.
test('the comment of an option says what it is, and not its default alone', () => {
  const bare = sources.flatMap(name => {
    const found = read(`src/${name}`).matchAll(/\/\*\* (?:\S+|a \w+ one|the \S+) by default[^a-z]*\*\//g)
    return [...found].map(([comment]) => `src/${name}: ${comment}`)
  })
  expect(sources.length).toBeGreaterThan(100)
  expect(bare).toEqual([])
})
