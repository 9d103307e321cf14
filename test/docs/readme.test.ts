import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const recipes = readdirSync(new URL('../../examples', import.meta.url))
  .filter(name => /\.m?[jt]s$/.test(name))
  .filter(name => /\bfrom(?:NodeRequest|FetchRequest|LambdaEvent)\(/.test(read(`examples/${name}`)))

/** The code blocks of the README that show an example: `<!-- example: name -->` and a fenced block. */
const readme = existsSync(new URL('../../README.md', import.meta.url)) ? read('README.md') : ''
const blocks = [...readme.matchAll(/<!-- example: (\S+) -->\n+```\w*\n([\s\S]*?)```\n/g)]
const markers = readme.match(/<!-- example: /g) ?? []

describe('the README shows the examples as they are', () => {
  test.each(blocks.map(([, name, code]) => ({ name, code })))('$name', ({ name, code }) => {
    expect(code).toBe(read(`examples/${name}`))
  })

  test('every marker has its code, and every recipe is there', () => {
    expect(blocks).toHaveLength(markers.length)
    const shown = new Set(blocks.map(([, name]) => name))
    if (shown.size > 0) expect(recipes.filter(name => !shown.has(name))).toEqual([])
  })
})

test('the way to the account id is shown as it is in the example', () => {
  const code = read('examples/account.mjs').replace(/^(?:\/\/.*\n)+/, '')
  expect(readme).toContain(`\`\`\`js\n${code}\`\`\``)
})

test.each(recipes)('%s has at most 30 lines', name => {
  expect(read(`examples/${name}`).trimEnd().split('\n').length).toBeLessThanOrEqual(30)
})
