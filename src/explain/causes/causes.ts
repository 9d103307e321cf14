import { type CheckName, CODES, type Code } from '../../core/result/codes.ts'
import { accountEntries } from './account.ts'
import { coverageEntries } from './coverage.ts'
import { dateEntries } from './date.ts'
import { digestEntries } from './digest.ts'
import type { AboutCode, EntriesOf } from './entry.ts'
import { hostEntries } from './host.ts'
import { keyEntries } from './key.ts'
import { keyNameEntries } from './key-name.ts'
import { replayEntries } from './replay.ts'
import { requestEntries } from './request.ts'
import { signatureEntries } from './signature.ts'
import { signatureHeaderEntries } from './signature-header.ts'

// These are functions: a bundler leaves all entries out where nothing is diagnosed, and they are made once.
const ENTRIES: { readonly [N in CheckName]: () => EntriesOf<N> } = {
  request: requestEntries,
  https: requestEntries,
  date: dateEntries,
  host: hostEntries,
  account: accountEntries,
  'signature-header': signatureHeaderEntries,
  coverage: coverageEntries,
  'key-name': keyNameEntries,
  key: keyEntries,
  signature: signatureEntries,
  digest: digestEntries,
  replay: replayEntries
}

const made = new Map<CheckName, { readonly [C in Code]?: AboutCode<C> }>()

/** Returns the entry of a code. */
export function entryOf<C extends Code>(code: C): AboutCode<C> {
  const { check } = CODES[code]
  const entries = made.get(check) ?? ENTRIES[check]()
  made.set(check, entries)
  return (entries as { readonly [D in Code]?: AboutCode<D> })[code]!
}
