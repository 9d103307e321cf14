import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const recipes = readdirSync(new URL('../../examples', import.meta.url))
  .filter(name => /\.m?[jt]s$/.test(name))
  .filter(name =>
    /\bfrom(?:NodeRequest|FetchRequest|LambdaEvent)\(|\b(?:node|fetch|lambda)Handler[(<]/.test(
      read(`examples/${name}`)
    )
  )
  .filter(name => name !== 'ten-lines.mjs') // it is what the README begins with

/** The code blocks of a page that show an example: `<!-- example: name -->` and a fenced block. */
const blocksOf = (page: string) => [...page.matchAll(/<!-- example: (\S+) -->\n+```\w*\n([\s\S]*?)```\n/g)]
const frameworks = read('docs/frameworks.md')
const blocks = blocksOf(frameworks)

describe('docs/frameworks.md shows the examples as they are', () => {
  test.each(blocks.map(([, name, code]) => ({ name, code })))('$name', ({ name, code }) => {
    expect(code).toBe(read(`examples/${name}`))
  })

  test('every marker has its code, and every recipe is there', () => {
    expect(blocks).toHaveLength(frameworks.match(/<!-- example: /g)?.length ?? 0)
    expect(blocks.map(([, name]) => name).sort()).toEqual(recipes.sort())
  })
})

const readme = existsSync(new URL('../../README.md', import.meta.url)) ? read('README.md') : ''

test('the way to the account id is shown as it is in the example', () => {
  const code = read('examples/account.mjs').replace(/^(?:\/\/.*\n)+/, '')
  expect(readme).toContain(`\`\`\`js\n${code}\`\`\``)
})

/** The lines of an example besides blank ones, comments and the verifier's own. */
const ownLines = (name: string): number =>
  read(`examples/${name}`)
    .replace(/^const verify = createVerifier\(\{[\s\S]*?^\}\)$/m, '')
    .split('\n')
    .filter(line => !/^\s*(?:\/\/.*)?$/.test(line)).length

test.each(recipes.filter(name => /\b(?:node|fetch|lambda)Handler[(<]/.test(read(`examples/${name}`))))(
  '%s has few lines of its own',
  name => {
    const isShortest = ['node-http', 'express-router', 'fastify', 'koa', 'hono', 'nest'].includes(
      name.replace(/\.ts$/, '')
    )
    const limit = name === 'handler.test.mjs' ? 24 : name === 'express-json.ts' ? 16 : isShortest ? 8 : 12
    expect(ownLines(name)).toBeLessThanOrEqual(limit)
  }
)
