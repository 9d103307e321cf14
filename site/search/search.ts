import MiniSearch, { type Options } from 'minisearch'
import type { Section } from '../markdown/sections.ts'
import { KEYWORDS } from './keywords.ts'

/** A section of a page, as the index has it. */
export interface Indexed {
  /** the address without the base, such as `gateway.html#options` */
  id: string
  title: string
  /** the title of its page, where that is another one */
  page: string
  /** names for it by people who do not know our words */
  keywords: string
  text: string
}

/** The page that is not made of Markdown: it verifies a captured request in the browser. */
export const EXPLAIN = {
  id: 'explain/',
  title: 'Explain in the browser',
  text: 'Paste a captured request and read why it is refused.'
} as const

/** Lists words that say nothing about the subject of a question. */
const STOP_WORDS = new Set(
  `a about above all always an and any anything are as at be because been before being but by can cannot could
  did do does doing don down each every for from get gets getting give go got had has have having here how i if in into
  is it its itself just let like make makes me mine more most must my myself need no nothing now of off on one only or
  other our out over own please same see should show so some somebody someone something still such suddenly tell than
  that the their them then there these they thing things this those through to too under until up use used using very
  want was way we were what when where whether which while who whose why will with without work works would you your`.split(
    /\s+/
  )
)

/** Splits text at characters other than letters and digits, and `camelCase` into its words beside the whole. */
export function tokenize(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_]+/u).flatMap(word => {
    if (word === '') return []
    const parts = word.split(/(?<=[a-z\d])(?=[A-Z])|_+/).filter(part => part !== '')
    return parts.length > 1 ? [word, ...parts] : [word]
  })
}

/** Returns lower case, without the endings of English; null for a word that says nothing. */
export function processTerm(term: string): string | null {
  const word = term.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')
  if (STOP_WORDS.has(word) || (word.length < 2 && !/\d/.test(word))) return null
  return stem(word)
}

function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word
  const [, verb] = /^(.{3,}?)(?:ions?|ings?|ies|ied|y|ed|es|e|s)$/.exec(word) ?? []
  // forged and forge, stopped and stop
  return (verb ?? word).replace(/([b-df-hj-np-tv-z])\1$/, '$1')
}

/** The index is made and searched with the same options. */
export const OPTIONS: Options<Indexed> = {
  fields: ['title', 'page', 'keywords', 'text'],
  storeFields: ['title', 'page'],
  tokenize,
  processTerm,
  searchOptions: {
    boost: { title: 5, page: 3, keywords: 5, text: 1 },
    prefix: (term: string) => term.length > 2,
    fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
    weights: { prefix: 0.3, fuzzy: 0.2 },
    boostDocument: (id, term, fields) => weightOf(String(id), term === processTerm(String(fields?.['title'])))
  }
}

/** Guides explain; the reference comes first only for the name of an export. */
function weightOf(id: string, isTitle: boolean): number {
  if (id.startsWith('changelog.html#')) return 0.3
  if (id.startsWith('reference/') && id !== 'reference/') return isTitle && !id.includes('#') ? 1.5 : 0.4
  return 1
}

/** Limits the results that are shown, and those from one page. */
export const MOST = 12
export const MOST_OF_A_PAGE = 2

/** Keeps the best sections, few of each page, so that one long page does not hide the others. */
export function chooseResults<T extends { id: string }>(found: readonly T[]): T[] {
  const ofPage = new Map<string, number>()
  const chosen = found.filter(({ id }) => {
    const page = id.split('#')[0]!
    ofPage.set(page, (ofPage.get(page) ?? 0) + 1)
    return ofPage.get(page)! <= MOST_OF_A_PAGE
  })
  return chosen.slice(0, MOST)
}

/**
 * Makes the index, as JSON: of pages by their address, such as `gateway`, and of pages that are not made of Markdown.
 */
export function makeIndex(
  pages: ReadonlyMap<string, readonly Section[]>,
  others: readonly Pick<Indexed, 'id' | 'title' | 'text'>[]
): string {
  const index = new MiniSearch<Indexed>(OPTIONS)
  index.addAll([...pages].flatMap(([address, sections]) => indexedOf(address, sections)))
  index.addAll(others.map(other => ({ page: '', keywords: KEYWORDS[other.id] ?? '', ...other })))
  const unknown = Object.keys(KEYWORDS).filter(id => !index.has(id))
  if (unknown.length > 0) throw new Error(`search/keywords.ts: no page has these sections: ${unknown.join(', ')}`)
  return JSON.stringify(index)
}

function indexedOf(address: string, sections: readonly Section[]): Indexed[] {
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
