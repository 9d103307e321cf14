import { UsageError } from '../../flags/usage-error.ts'
import { escapeText } from '../../src/internal/index.ts'
import { completeEntry, type Entry, isSigned } from './capture.ts'

/** Selects the request of a capture that a command takes. */
export const ENTRY_FLAG = {
  flag: 'entry',
  kind: 'text',
  value: 'N',
  about: 'use this request of the file, counted from 1',
  fallback: 'the first that is signed'
} as const

/**
 * Matches traces of logs, pages and office programs in a value; quotes of UTF-8 are seen as Latin-1 in raw captures.
 */
const EDITED = /\*{3,}|redacted|\[filtered\]|&quot;|\xe2\x80[\x9c\x9d]|[\u201c\u201d]/i

/** The flags that choose a request of a file. */
interface Choice {
  readonly entry?: string | undefined
  /** the name of a vector */
  readonly vector?: string | undefined
}

/**
 * Selects a request of a file: the chosen one, or else the first that is signed, with notes on how it was found.
 *
 * @param flags how a person chooses another
 * @throws UsageError
 */
export function chooseEntry(all: readonly Entry[], { entry: number, vector }: Choice, flags = '--entry N') {
  const entries = vector === undefined ? all : all.filter(({ name }) => name === vector)
  const index = number === undefined ? Math.max(entries.findIndex(isSigned), 0) : Number(number) - 1
  const found = entries[index]
  const names = all.flatMap(({ name }) => name ?? []).join(', ')
  const numbers = all.length === 1 ? 'one request' : `requests 1 to ${all.length}`
  const has = `${numbers}${names && `, the vectors ${names}`}`
  if (found === undefined) throw new UsageError(`the file has no such request: it has ${has}`)
  const chosen = completeEntry(found)
  const isChoice = number === undefined && entries.length > 1
  const where = `this is request ${index + 1} of ${entries.length} in the file: ${flags} chooses another`
  const [edited] = chosen.request.headers.find(([, value]) => EDITED.test(value)) ?? []
  return { chosen, notes: [...(isChoice ? [where] : []), ...chosen.notes], edited: doubtOn(edited) }
}

/** Warns that a redacted signature cannot verify; a request that is signed again does not need it. */
const doubtOn = (header: string | undefined): string[] =>
  header === undefined
    ? []
    : [`${escapeText(header)} looks redacted or edited; copy it from a place that shows all of it`]
