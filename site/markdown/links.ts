import { posix } from 'node:path'
import { REPOSITORY, SITE } from '../../build/addresses.ts'
import { addressOf, exists, FILES, fileOf } from '../pages.ts'

/** The site serves these files of the repository unchanged. */
export const STATIC = ['docs/alerts.yml', 'docs/grafana.json', 'docs/pipeline.svg', 'docs/speed.svg'] as const

const isUrl = (target: string): boolean => /^[a-z][a-z+.-]*:/i.test(target)

/**
 * Returns the target of a link on a page of the repository: a page of the site as `/name.md`, a static file as `/name`,
 * and the repository for anything else; undefined until that is configured.
 */
export function resolveLink(file: string, target: string): string | undefined {
  if (SITE !== undefined && (target === SITE || target.startsWith(`${SITE}/`))) return target.slice(SITE.length) || '/'
  if (isUrl(target) || target.startsWith('#') || target.startsWith('/')) return target
  const [path = '', anchor] = target.split('#')
  const found = posix.normalize(posix.join(posix.dirname(file), path))
  // The README of the gateway's package has the same content as its page.
  const page = found === 'gateway/README.md' ? 'docs/gateway.md' : found
  const end = anchor === undefined ? '' : `#${anchor}`
  if (FILES.includes(page)) return `/${addressOf(page)}.md${end}`
  if ((STATIC as readonly string[]).includes(found)) return `/${posix.basename(found)}`
  if (!exists(found)) throw new Error(`${file}: the link ${target} leads to no file`)
  return REPOSITORY && `${REPOSITORY}/blob/main/${found}${end}`
}

/** Returns the repository file that a page is made from; a page of the reference is its own. */
export const sourceOf = (page: string): string => fileOf(page) ?? page
