import { readFileSync } from 'node:fs'
import { UsageError } from '../../flags/usage-error.ts'
import type { Code } from '../../src/index.ts'
import { CODES, isUnavailable, type Line, nearest, withTone, wrapWords } from '../../src/internal/index.ts'

/** Explains a code, as plain text. */
export interface CodeExplanation {
  readonly code: Code
  readonly check: string
  readonly message: string
  readonly status: 'rejected' | 'unavailable'
  readonly meaning: string
  /** the first that fits a request is the likely one; filled with an example */
  readonly causes: readonly { readonly cause: string; readonly fix: string }[]
  /** other possible causes and fixes */
  readonly also?: string
  /** the place in the documentation of this package */
  readonly page: string
}

/** Explains a code that the log of the gateway has besides those of the checks, as plain text. */
export interface GatewayCode {
  readonly code: string
  readonly httpStatus: number
  readonly meaning: string
  readonly fix: string
  readonly page: string
}

const PAGE = 'docs/checks-and-codes.md'

export const isCode = (word: string): word is Code => Object.hasOwn(CODES, word)

/** Reports a word that is neither a file nor a code, but near a code. */
export function misspelledCode(word: string): UsageError | undefined {
  if (!/^[\w-]+$/.test(word)) return undefined
  const codes = [...Object.keys(CODES), ...rowsOfGateway().map(([, code]) => code!)]
  const meant = nearest(word.replaceAll('_', '-'), codes)
  return meant === undefined
    ? undefined
    : new UsageError(`there is no file ${word}, and no such code: did you mean explain ${meant}?`)
}

/** Reads the page, which comes with the package; somebody may have given it the line ends of Windows. */
const readPage = (): string =>
  readFileSync(new URL(PAGE, import.meta.resolve('signed-requests/package.json')), 'utf8').replaceAll('\r\n', '\n')

/** Returns code, status, meaning and fix of each code of the gateway on the page. */
const rowsOfGateway = () => [...readPage().matchAll(/^\| `(\S+)` \| (\d{3}) \| (.*) \| (.*) \|$/gm)]

/** Finds a code of the gateway on the page; the last row is for all others of the parser of Node.js. */
export function gatewayCode(word: string): GatewayCode | undefined {
  for (const [, code, status, meaning, fix] of rowsOfGateway()) {
    const isFound = code === 'HPE_*' ? /^HPE_[A-Z_]+$/.test(word) : code === word
    const page = `${PAGE}#codes-of-the-gateway`
    if (isFound) return { code: word, httpStatus: Number(status), meaning: plain(meaning!), fix: plain(fix!), page }
  }
  return undefined
}

/** Explains a code by its section of the page. */
export function explanationOf(code: Code): CodeExplanation {
  const page = readPage()
  const start = `\n### ${code}\n\n`
  const section = page.slice(page.indexOf(start) + start.length).split(/\n##/, 1)[0]!
  const [meaning, ...items] = section.split(/\n+(?=(?: {2})?- )/)
  const causes = items.flatMap(item => {
    const parts = / {2}- (.*) \*\*Fix:\*\* (.*)/s.exec(item)
    return parts === null ? [] : [{ cause: plain(parts[1]!), fix: plain(parts[2]!) }]
  })
  const [also] = items.flatMap(item => /^- \*\*Also:\*\* (.*)/s.exec(item)?.[1] ?? [])
  const { check, message } = CODES[code]
  return {
    code,
    check,
    message,
    status: isUnavailable(code) ? 'unavailable' : 'rejected',
    meaning: plain(meaning!.replace('**Unavailable.** ', '')),
    causes,
    ...(also !== undefined && { also: plain(also) }),
    page: `${PAGE}#${code}`
  }
}

/** Removes the marks of Markdown. */
const plain = (text: string): string =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`\n]/g, mark => (mark === '`' ? '' : ' '))
    .trim()

const STATUS = {
  rejected: 'rejected: answered with 401',
  unavailable: 'unavailable: answered with 503, and the sender should try again'
}

/** Writes the explanation for a person. */
export function codeLines({ code, check, message, status, meaning, causes, also, page }: CodeExplanation): Line[] {
  const answer = code === 'body-too-large' ? 'rejected: answered with 413 where nothing else is wrong' : STATUS[status]
  return [
    withTone('label', code, wrapWords('', `${code}: ${message}`)),
    '',
    wrapWords('', meaning),
    wrapWords('', `It is of the check ${check}, and ${answer}.`),
    '',
    wrapWords('', 'Likely causes, filled in with an example; of a request, the first that fits counts:'),
    ...causes.flatMap(({ cause, fix }) => [wrapWords('- ', cause), wrapWords('  fix: ', fix)]),
    ...(also === undefined ? [] : [wrapWords('also: ', also)]),
    '',
    `page: ${page}`,
    wrapWords('', 'For a request that was captured, npx signed-requests explain FILE says which of them it is.')
  ]
}

export const gatewayCodeLines = ({ code, httpStatus, meaning, fix, page }: GatewayCode): Line[] => [
  withTone('label', code, wrapWords('', `${code}: of the gateway, answered with ${httpStatus}`)),
  '',
  wrapWords('', meaning),
  wrapWords('fix: ', fix),
  '',
  `page: ${page}`
]
