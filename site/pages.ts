import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CHECK_NAMES, CODES } from '../src/core/result/codes.ts'

export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

export interface Group {
  title: string
  /** files of the repository, in the order of reading */
  pages: readonly string[]
}

/** The table of the pages, in the order of a reader's work. Each page of `docs/` is in one group. */
export const GROUPS: readonly Group[] = [
  {
    title: 'Start',
    pages: ['README.md', 'docs/README.md', 'docs/account.md', 'docs/options.md', 'docs/for-agents.md']
  },
  {
    title: 'Receive',
    pages: [
      'docs/frameworks.md',
      'docs/behind-a-proxy.md',
      'docs/replay-and-retries.md',
      'docs/replay-stores.md',
      'docs/write-a-store.md',
      'docs/several-services.md',
      'docs/middleware.md',
      'docs/rfc9421.md'
    ]
  },
  {
    title: 'Test',
    pages: ['docs/testing.md', 'fixtures/README.md', 'fixtures/writing-a-verifier.md', 'docs/interop.md']
  },
  {
    title: 'Run',
    pages: ['docs/introduce.md', 'docs/operations.md', 'docs/keys-and-dns.md', 'docs/dns-over-https.md']
  },
  { title: 'Find out why', pages: ['docs/troubleshooting.md', 'docs/checks-and-codes.md', 'docs/command-line.md'] },
  { title: 'The gateway', pages: ['docs/gateway.md', 'docs/deploy.md', 'docs/engines.md'] },
  { title: 'About', pages: ['docs/design.md', 'SECURITY.md', 'docs/threat-model.md', 'CHANGELOG.md'] }
]

const codePageOf = (code: string): string => `docs/codes/${code}.md`

/** The pages of the codes, by check. They have a sidebar of their own. */
export const CODE_GROUPS: readonly Group[] = CHECK_NAMES.map(check => ({
  title: check,
  pages: Object.entries(CODES)
    .filter(([, code]) => code.check === check)
    .map(([code]) => codePageOf(code))
}))

/** The sidebar uses these names where the title of the page is too long or says too little there. */
export const SHORT_TITLES: Readonly<Record<string, string>> = {
  'README.md': 'What it is',
  'docs/options.md': 'Options',
  'docs/introduce.md': 'Introduce it',
  'docs/engines.md': 'Asked by Envoy, nginx or Traefik',
  'docs/rfc9421.md': 'RFC 9421',
  'fixtures/README.md': 'Test vectors',
  'fixtures/writing-a-verifier.md': 'A verifier of your own'
}

/** The address of these pages is not their lower-case name. */
const ADDRESSES: Readonly<Record<string, string>> = {
  'README.md': 'overview',
  'docs/README.md': 'pages',
  'fixtures/README.md': 'vectors'
}

/** The guides, which a person reads, and the pages of the codes, which a code leads to. */
export const GUIDES: readonly string[] = GROUPS.flatMap(({ pages }) => pages)
export const FILES: readonly string[] = [...GUIDES, ...CODE_GROUPS.flatMap(({ pages }) => pages)]

/** Returns the address of a page on the site, without slash and ending, such as `gateway`. */
export const addressOf = (file: string): string =>
  ADDRESSES[file] ??
  file
    .replace(/^(?:docs|fixtures)\//, '')
    .replace(/\.md$/, '')
    .toLowerCase()

const fileByAddress = new Map(FILES.map(file => [`${addressOf(file)}.md`, file]))

/** Returns the repository file that a page of the site is made from, by the page's own file. */
export const fileOf = (page: string): string | undefined => fileByAddress.get(page)

export const read = (file: string): string => readFileSync(`${ROOT}/${file}`, 'utf8')
export const exists = (file: string): boolean => existsSync(`${ROOT}/${file}`)

export const titleOf = (file: string): string => /^# (.+)$/m.exec(read(file))?.[1]?.replaceAll('`', '') ?? file
