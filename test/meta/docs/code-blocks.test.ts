import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { checkBlocks } from './check-blocks.ts'
import { blocksOf, type CodeBlock, PAGES, ROOT } from './pages.ts'

const blocks = PAGES.flatMap(blocksOf)
const CODE = new Set(['ts', 'js', 'mjs'])
const code = blocks.filter(({ language }) => CODE.has(language))
const OTHER = 'apache caddyfile console dockerfile haproxy http ini json nginx php python ruby sh sql text toml yaml'
const LANGUAGES = new Set([...CODE, ...OTHER.split(' '), ''])

const isExample = ({ note }: CodeBlock): boolean => note.startsWith('example: ')
const isRun = ({ note }: CodeBlock): boolean => note === 'runs' || note === 'prints the next block'
const isExempt = ({ note }: CodeBlock): boolean => /^not checked: \S.{7,}/.test(note)

test('code blocks have a language that is known', () => {
  const unknown = blocks.filter(({ language }) => !LANGUAGES.has(language))
  expect(unknown.map(({ page, line }) => `${page}:${line}`)).toEqual([])
})

// `npm run check:types` checks examples, which are files; a block that runs needs no check.
test('code blocks compile', { timeout: 120_000 }, () => {
  expect(checkBlocks(code.filter(block => !isExample(block) && !isRun(block) && !isExempt(block)))).toEqual([])
})

test('JSON blocks parse', () => {
  for (const { language, code: text } of blocks) if (language === 'json') JSON.parse(text)
})

describe('code blocks that run', () => {
  // The files are in the repository, so that tsconfig.json leads from the package's name to its source; git ignores
  // reports/.
  mkdirSync(join(ROOT, 'reports'), { recursive: true })
  const folder = mkdtempSync(join(ROOT, 'reports/code-blocks-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  const runnable = code.filter(isRun).map(block => ({ name: `${block.page}:${block.line}`, block }))
  test.each(runnable)('$name', { timeout: 120_000 }, ({ block }) => {
    const file = join(folder, `${block.line}.mts`)
    writeFileSync(file, block.code)
    const run = spawnSync(process.execPath, ['--import', 'tsx', file], { cwd: ROOT, encoding: 'utf8' })
    expect(run.stderr).toBe('')
    expect(run.status).toBe(0)
    if (block.note !== 'runs') expect(run.stdout).toBe(blocks[blocks.indexOf(block) + 1]?.code)
  })
})
