import { UsageError } from '../../flags/usage-error.ts'
import type { Code } from '../../src/index.ts'
import {
  CODES,
  entryOf,
  GATEWAY_CODES,
  gatewayEntryOf,
  isUnavailable,
  type Line,
  listCauses,
  nearest,
  withoutMarks,
  withTone,
  wrapWords
} from '../../src/internal/index.ts'

/** Explains a code, as plain text. */
export interface CodeExplanation {
  readonly code: Code
  readonly check: string
  readonly message: string
  readonly status: 'rejected' | 'unavailable'
  readonly meaning: string
  /** most specific first; filled with an example */
  readonly causes: readonly { readonly cause: string; readonly fix: string }[]
  /** more advice */
  readonly also?: string
  /** the place in the documentation of this package */
  readonly page: string
}

/** Explains a code that the log of the gateway has besides those of the checks, as plain text. */
export interface GatewayCodeExplanation {
  readonly code: string
  readonly httpStatus: number
  readonly meaning: string
  readonly fix: string
  readonly page: string
}

export const isCode = (word: string): word is Code => Object.hasOwn(CODES, word)

/** Reports a word that is neither a file nor a code, but near a code. */
export function misspelledCode(word: string): UsageError | undefined {
  if (!/^[\w-]+$/.test(word)) return undefined
  const meant = nearest(word.replaceAll('_', '-'), [...Object.keys(CODES), ...Object.keys(GATEWAY_CODES)])
  return meant === undefined
    ? undefined
    : new UsageError(`there is no file ${word}, and no such code: did you mean explain ${meant}?`)
}

/** Explains a code of the gateway. Returns undefined for any other text. */
export function explainGatewayCode(code: string): GatewayCodeExplanation | undefined {
  const entry = gatewayEntryOf(code)
  if (entry === undefined) return undefined
  const { httpStatus, about, fix } = entry
  return {
    code,
    httpStatus,
    meaning: withoutMarks(about),
    fix: withoutMarks(fix),
    page: 'docs/checks-and-codes.md#codes-of-the-gateway'
  }
}

/** Explains a code of a check. */
export function explainCode(code: Code): CodeExplanation {
  const { about, also } = entryOf(code)
  const { check, message } = CODES[code]
  return {
    code,
    check,
    message,
    status: isUnavailable(code) ? 'unavailable' : 'rejected',
    meaning: withoutMarks(about),
    causes: listCauses(code).map(({ cause, fix }) => ({ cause, fix })),
    ...(also !== undefined && { also: withoutMarks(also) }),
    page: `docs/codes/${code}.md`
  }
}

const RESULTS = {
  rejected: 'rejected, HTTP 401.',
  unavailable: 'unavailable, HTTP 503: the sender should retry.'
}

/** Writes the explanation for a person. */
export function codeLines({ code, check, message, status, meaning, causes, also, page }: CodeExplanation): Line[] {
  const result = code === 'body-too-large' ? 'rejected, HTTP 413 if nothing else is wrong.' : RESULTS[status]
  return [
    withTone('label', code, wrapWords('', `${code}: ${message}`)),
    '',
    wrapWords('', meaning),
    wrapWords('', `Check: ${check}. Result: ${result}`),
    '',
    'Likely causes, most specific first (values are examples):',
    ...causes.flatMap(({ cause, fix }) => [wrapWords('- ', cause), wrapWords('  fix: ', fix)]),
    ...(also === undefined ? [] : [wrapWords('also: ', also)]),
    '',
    `page: ${page}`,
    wrapWords('', 'Have the request? npx signed-requests explain FILE tells you which one applies.')
  ]
}

export const gatewayCodeLines = ({ code, httpStatus, meaning, fix, page }: GatewayCodeExplanation): Line[] => [
  withTone('label', code, wrapWords('', `${code}: a code of the gateway, HTTP ${httpStatus}`)),
  '',
  wrapWords('', meaning),
  wrapWords('fix: ', fix),
  '',
  `page: ${page}`
]
