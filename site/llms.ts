import { resolveLink } from './markdown/links.ts'
import { addressOf, CODE_GROUPS, FILES, GROUPS, type Group, read, titleOf } from './pages.ts'
import type { Entry } from './reference/reference.ts'

/** Files for programs that read text: each page as Markdown, the index `llms.txt`, and all pages in one file. */
export function llmsFiles(
  entries: readonly Entry[],
  reference: ReadonlyMap<string, string>,
  base: string
): Map<string, string> {
  const guides = FILES.map(file => [`${addressOf(file)}.md`, withLinks(read(file), file, base)] as const)
  const exports = [...reference].map(([file, markdown]) => [file, withLinks(markdown, file, base)] as const)
  const pages = new Map([...guides, ...exports])
  return new Map([...pages, ['llms.txt', index(entries, base)], ['llms-full.txt', [...pages.values()].join('\n')]])
}

function index(entries: readonly Entry[], base: string): string {
  const linksOf = ({ pages }: Group) => pages.map(file => `- [${titleOf(file)}](${base}${addressOf(file)}.md)`)
  const groups = GROUPS.map(group => `## ${group.title}\n\n${linksOf(group).join('\n')}\n`)
  const reference = entries.map(({ name, address }) => `- [${name}](${base}${address}index.md)`)
  return [
    withLinks(read('llms.txt'), 'llms.txt', base),
    ...groups,
    `## Codes\n\n${CODE_GROUPS.flatMap(linksOf).join('\n')}\n`,
    `## Reference\n\n${reference.join('\n')}\n`,
    `## Optional\n\n- [All pages in one file](${base}llms-full.txt)\n`
  ].join('\n')
}

/** Makes the links of a page lead to the Markdown of the site, or to the repository. */
function withLinks(markdown: string, file: string, base: string): string {
  let isCode = false
  const lines = markdown.split('\n').map(line => {
    if (/^\s*```/.test(line)) isCode = !isCode
    if (isCode) return line
    return line.replace(/\]\(([^)\s]+)\)/g, (_, target: string) => {
      const resolved = resolveLink(file, target)
      return resolved === undefined ? ']' : `](${resolved.replace(/^\//, base)})`
    })
  })
  return lines.join('\n')
}
