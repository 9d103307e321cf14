import { blocksOf } from './pages.ts'

/** The site shows this many columns of a block of code at 1,280 pixels. */
const MAX = 88

/** The limit of the first program of README.md, which the home page and npm show in a narrower column. */
const MAX_OF_TEN_LINES = 72

/** Returns the lines of code on a page that a reader has to scroll for. */
export function longLines(page: string): string[] {
  const blocks = blocksOf(page)
  const tenLines = page === 'README.md' ? blocks.find(({ language }) => /^[jt]s$/.test(language)) : undefined
  return blocks.flatMap(block => {
    const max = block === tenLines ? MAX_OF_TEN_LINES : MAX
    return block.code
      .split('\n')
      .map((text, i) => ({ length: text.length, line: block.line + 1 + i }))
      .filter(({ length }) => length > max)
      .map(({ length, line }) => `${page}:${line}: ${length} columns, at most ${max}`)
  })
}

/** `npx tsx test/meta/docs/code-width.ts PAGE...` lists the long lines of pages. */
if (process.argv[1]?.endsWith('code-width.ts')) {
  const found = process.argv.slice(2).flatMap(longLines)
  console.log(found.length === 0 ? 'no line of code is too long' : found.join('\n'))
  process.exitCode = found.length === 0 ? 0 : 1
}
