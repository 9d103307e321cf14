import MiniSearch from 'minisearch'
import { sectionsOf } from '../markdown/sections.ts'
import { KEYWORDS } from './keywords.ts'
import { type Indexed, OPTIONS } from './terms.ts'

/** Makes the index, as JSON: of pages by their address, such as `gateway`, and of pages that are not made of Markdown. */
export function makeIndex(
  pages: ReadonlyMap<string, string>,
  others: readonly Pick<Indexed, 'id' | 'title' | 'text'>[]
): string {
  const index = new MiniSearch<Indexed>(OPTIONS)
  index.addAll([...pages].flatMap(([address, text]) => indexedOf(address, text)))
  index.addAll(others.map(other => ({ page: '', keywords: KEYWORDS[other.id] ?? '', ...other })))
  const unknown = Object.keys(KEYWORDS).filter(id => !index.has(id))
  if (unknown.length > 0) throw new Error(`search/keywords.ts: no page has these sections: ${unknown.join(', ')}`)
  return JSON.stringify(index)
}

function indexedOf(address: string, text: string): Indexed[] {
  // The page of a code is one result: its sections have the same headings on each.
  const sections = sectionsOf(address, text, address.startsWith('codes/') ? 1 : 4)
  const page = sections[0]?.heading ?? address
  const path = address.replace(/(^|\/)index$/, '$1')
  return sections.map(({ level, heading, anchor, prose, code }) => {
    const id = `${path}${path === '' || path.endsWith('/') ? '' : '.html'}${level === 1 ? '' : `#${anchor}`}`
    return {
      id,
      title: heading,
      page: level === 1 ? '' : page,
      keywords: KEYWORDS[id] ?? '',
      text: `${plain(prose)}\n${code}`
    }
  })
}

/** Returns the words of Markdown, without the addresses of its links, its comments and its marks. */
const plain = (markdown: string): string =>
  markdown
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/[`*|[\]]/g, ' ')
