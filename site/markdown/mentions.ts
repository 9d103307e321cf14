import { addressOf, GUIDES, read, titleOf } from '../pages.ts'
import type { Mention } from '../reference/reference.ts'
import { sectionsOf } from './sections.ts'

/** Lists pages that name everything and explain nothing. */
const INDEXES = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'fixtures/README.md', 'fixtures/writing-a-verifier.md']

const MOST = 6
const MOST_OF_A_PAGE = 2

/** Returns the sections of the guides that show an export, best first: in the heading, in the prose, in code. */
export function findMentions(): (name: string) => Mention[] {
  const sections = GUIDES.filter(file => !INDEXES.includes(file)).flatMap(file =>
    sectionsOf(file, read(file), 3).map(section => ({ ...section, file, mention: mentionOf(file, section) }))
  )
  return name => {
    const span = new RegExp(`\`${name}(?:\\(.*?\\))?\``)
    const used = new RegExp(`import (?:type )?\\{[^}]*\\b${name}\\b|(?<![\\w.])${name}\\(`)
    const found = sections
      .map(section => ({
        ...section,
        rank: [section.heading === name, span.test(section.prose), used.test(section.code)].indexOf(true)
      }))
      .filter(({ rank }) => rank >= 0)
      .sort((a, b) => a.rank - b.rank)
    const ofPage = new Map<string, number>()
    const chosen = found.filter(({ file }) => {
      ofPage.set(file, (ofPage.get(file) ?? 0) + 1)
      return ofPage.get(file)! <= MOST_OF_A_PAGE
    })
    return chosen.slice(0, MOST).map(({ mention }) => mention)
  }
}

function mentionOf(
  file: string,
  { level, heading, anchor }: { level: number; heading: string; anchor: string }
): Mention {
  const [title, address] = [titleOf(file), `/${addressOf(file)}.md`]
  return level === 1 ? { title, address } : { title: `${title}: ${heading}`, address: `${address}#${anchor}` }
}
