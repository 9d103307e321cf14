import type { Names } from './site-data.ts'

/**
 * These are common words, or words of the command line, and names of exports too: only `name()` surely means the
 * export.
 */
const COMMON = [
  'Accounts',
  'Checks',
  'Code',
  'Component',
  'Digest',
  'Fact',
  'Failed',
  'Fetch',
  'Result',
  'Scheme',
  'Vector',
  'explain',
  'rfc9421'
]

const VECTORS = 'reference/vectors/'

/**
 * Returns the page of each name, as a page of the site means it: some names exist in both the vectors and the library.
 */
export function pagesByName({ library, vectors }: Names, page: string): ReadonlyMap<string, string> {
  return new Map(page.startsWith(VECTORS) ? [...library, ...vectors] : [...vectors, ...library])
}

/** Returns the page that a code span is about: that of an export, or of a code. */
export function pageOfSpan(
  content: string,
  byName: ReadonlyMap<string, string>,
  codes: readonly string[]
): string | undefined {
  const [, name = '', call] = /^([\w-]+)(\(.*\))?$/.exec(content) ?? []
  if (call === undefined && codes.includes(name)) return `/codes/${name}.md`
  return call === undefined && COMMON.includes(name) ? undefined : byName.get(name)
}
