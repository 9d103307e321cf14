import { readFileSync, writeFileSync } from 'node:fs'

const PAGE = new URL('results.md', import.meta.url)

/** Debian packages print their versions, but another release of Debian must not fail the test. */
const FROM_DEBIAN = ['python3-httpsig', 'python3-dkim', 'libmail-dkim-perl']

/** Returns the text without the versions that come with the machine. */
export const withoutDebianVersions = (text: string): string =>
  FROM_DEBIAN.reduce((result, name) => result.replace(new RegExp(`(${name}\`?) \\d[^ |]*`, 'g'), '$1'), text)

/** Returns a section of results.md; UPDATE=1 writes it first, from the tests' own results. */
export function documented(section: string, text: string): string {
  const pattern = new RegExp(`(<!-- ${section} -->\n)[\\s\\S]*?(\n<!-- /${section} -->)`)
  const page = readFileSync(PAGE, 'utf8')
  if (process.env['UPDATE'] === '1')
    writeFileSync(
      PAGE,
      page.replace(pattern, (_, start, end) => `${start}\n${text}\n${end}`)
    )
  return (pattern.exec(readFileSync(PAGE, 'utf8'))?.[0] ?? '').split('\n').slice(2, -2).join('\n')
}

type Cells = readonly (string | number)[]
const row = (cells: Cells): string => `| ${cells.join(' | ')} |`

/** Writes the lines of a table in Markdown. */
export const table = (head: readonly string[], rows: readonly Cells[]): string[] => [
  row(head),
  row(head.map(() => '---')),
  ...rows.map(row)
]
