import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export const exists = (path: string): boolean => existsSync(`${ROOT}/${path}`)
export const read = (path: string): string => readFileSync(`${ROOT}/${path}`, 'utf8')

/** Reads names and paths of .gitignore, as far as it uses their grammar: a name, a path, and `*` before an ending. */
const ignored = read('.gitignore')
  .trim()
  .split('\n')
  .map(line => line.replace(/\/$/, ''))

const isIgnored = (path: string, name: string): boolean =>
  name === '.git' ||
  ignored.some(rule => rule === path || rule === name || (rule.startsWith('*') && name.endsWith(rule.slice(1))))

/**
 * Lists the files that are, or will be, under version control. Reads folders, so that a copy of the files is enough.
 */
export function repositoryFiles(folder = ''): string[] {
  return readdirSync(`${ROOT}/${folder}`, { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}${entry.name}`
    if (isIgnored(path, entry.name)) return []
    return entry.isDirectory() ? repositoryFiles(`${path}/`) : path
  })
}

/** Lists every page of the documentation that is written by hand. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'llms.txt',
  'SECURITY.md',
  'bench/README.md',
  'examples/README.md',
  'fixtures/README.md',
  'fixtures/writing-a-verifier.md',
  'gateway/README.md',
  'test/README.md',
  ...readdirSync(`${ROOT}/docs`)
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`)
].filter(exists)

/** Lists the pages of the codes, which `npm run docs:codes` writes. */
export const CODE_PAGES: readonly string[] = readdirSync(`${ROOT}/docs/codes`).map(name => `docs/codes/${name}`)

export interface CodeBlock {
  page: string
  /** the line of the opening fence, from 1 */
  line: number
  /** the text after the fence, such as `ts`; may be empty */
  language: string
  code: string
  /** the HTML comment right above the block, without its brackets: `example: koa.ts`, `not checked: a sketch` */
  note: string
}

/** Matches a fenced block, with the comment right above it. */
const FENCED = /(^<!-- (.*) -->\n+)?^[ \t]*(`{3,})(\w*)[ \t]*\n([\s\S]*?)^[ \t]*\3[ \t]*$/gm

/** Returns the fenced code blocks of a page, and the page with blank lines instead of them. */
export function splitPage(page: string, text: string): { blocks: CodeBlock[]; prose: string } {
  const lineOf = (at: number): number => text.slice(0, at).split('\n').length
  const found = [...text.matchAll(FENCED)]
  const blocks = found.map(({ index, 1: above = '', 2: note = '', 4: language = '', 5: code = '' }) => {
    return { page, line: lineOf(index + above.length), language, code, note }
  })
  const prose = text.replace(FENCED, (all, above = '') => above + all.slice(above.length).replace(/.+/g, ''))
  const open = /^\s*`{3,}\w*\s*$/m.exec(prose)
  if (open !== null) throw new Error(`${page}:${lineOf(open.index)}: this code block has no end`)
  return { blocks, prose }
}

/** Returns the anchors of a page as GitHub makes them: one for each heading, with numbers for equal ones. */
export function anchorsOf(prose: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading] of prose.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = slugOf(heading!)
    let anchor = slug
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`
    anchors.add(anchor)
  }
  for (const [, id] of prose.matchAll(/<a (?:id|name)="([^"]+)">/g)) anchors.add(id!)
  return anchors
}

/** Returns the anchor of a heading, as GitHub makes it. */
export const slugOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')

/** Returns the targets of all links and images in a page, except in code spans. */
export function linksOf(prose: string): string[] {
  const text = prose.replace(/(`+)[^`\n]*?\1/g, span => 'x'.repeat(span.length))
  const inline = [...text.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)].map(([, target]) => target!)
  const references = [...text.matchAll(/^\[[^\]]+\]: +(\S+)/gm)].map(([, target]) => target!)
  const html = [...text.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g)].map(([, target]) => target!)
  return [...inline, ...references, ...html]
}

export const blocksOf = (page: string): CodeBlock[] => splitPage(page, read(page)).blocks
export const proseOf = (page: string): string => splitPage(page, read(page)).prose
