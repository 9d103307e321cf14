import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export const exists = (path: string): boolean => existsSync(`${ROOT}/${path}`)
export const read = (path: string): string => readFileSync(`${ROOT}/${path}`, 'utf8')

/** Every page of the documentation that is written by hand; `docs/api` is generated. */
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

export interface CodeBlock {
  page: string
  /** the line of the opening fence, from 1 */
  line: number
  /** what stands after the fence, such as `ts`; empty when nothing does */
  language: string
  code: string
  /** the HTML comment right above the block, without its brackets: `example: koa.ts`, `not checked: a sketch` */
  note: string
}

/** The fenced code blocks of a page, and the page without them. */
export function splitPage(page: string, text: string): { blocks: CodeBlock[]; prose: string } {
  const blocks: CodeBlock[] = []
  const prose: string[] = []
  let open: (CodeBlock & { fence: string }) | undefined
  let note = ''
  for (const [i, line] of text.split('\n').entries()) {
    if (open !== undefined) {
      if (line.trim() === open.fence) {
        const { fence: _, ...block } = open
        blocks.push(block)
        open = undefined
      } else {
        open.code += `${line}\n`
      }
      prose.push('')
      continue
    }
    const fence = /^\s*(`{3,})(\w*)\s*$/.exec(line)
    if (fence !== null) {
      open = { page, line: i + 1, language: fence[2]!, code: '', note, fence: fence[1]! }
      prose.push('')
      note = ''
      continue
    }
    const comment = /^<!-- (.*) -->$/.exec(line)
    if (comment !== null) note = comment[1]!
    else if (line !== '') note = ''
    prose.push(line)
  }
  if (open !== undefined) throw new Error(`${page}:${open.line}: this code block has no end`)
  return { blocks, prose: prose.join('\n') }
}

/** The anchors of a page as GitHub makes them: one for each heading, and numbers for those that are the same. */
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

const slugOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')

/** The targets of all links and images in a page, code spans left out. */
export function linksOf(prose: string): string[] {
  const text = prose.replace(/(`+)[^`\n]*?\1/g, span => 'x'.repeat(span.length))
  const inline = [...text.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)].map(([, target]) => target!)
  const references = [...text.matchAll(/^\[[^\]]+\]: +(\S+)/gm)].map(([, target]) => target!)
  const html = [...text.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g)].map(([, target]) => target!)
  return [...inline, ...references, ...html]
}

export const blocksOf = (page: string): CodeBlock[] => splitPage(page, read(page)).blocks
export const proseOf = (page: string): string => splitPage(page, read(page)).prose
