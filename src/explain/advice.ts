import type { Code } from '../core/result/codes.ts'
import type { ExpectedList } from '../core/result/evidence.ts'
import { type FoundCause, findCause } from './cause.ts'
import { entryOf } from './causes/causes.ts'
import type { AddedCauses, EvidenceIn, Example, FailureCause, Known, Shown, Surroundings } from './causes/entry.ts'
import { SENDER_MISTAKES } from './changed-line.ts'
import { type Fact, THIS_CLOCK, textOf } from './facts.ts'
import { type SettingsLanguage, showSetting } from './settings.ts'
import { showsToOwner } from './shown-values.ts'
import { escapeText } from './text.ts'

/** The part of a failure that is read here. */
interface FailureIn<C extends Code> {
  readonly code: C
  readonly evidence?: EvidenceIn<C>
}

/** A likely cause and its fix, in printable ASCII. */
export interface Advice {
  readonly cause: string
  readonly fix: string
}

/** Finds the likely cause of a failure and its fix. */
export function adviceOn<C extends Code>(
  { code, evidence }: FailureIn<C>,
  language: SettingsLanguage,
  around: Surroundings,
  added: AddedCauses = {}
): Advice {
  const known = knownOf<C>(evidence as EvidenceIn<C>, language, around)
  const { cause, fix } = findCause([...(added[code] ?? []), ...entryOf(code).causes], known, language)!
  const { changed, change } = around.search
  const isOfSender = change !== undefined && SENDER_MISTAKES.has(change)
  const line = changed ? `line ${changed.line}${isOfSender ? '' : ' was changed after it was signed'}: ` : ''
  return { cause: line + onlyPrintable(cause), fix: onlyPrintable(fix) }
}

function knownOf<C extends Code>(evidence: EvidenceIn<C>, language: SettingsLanguage, around: Surroundings): Known<C> {
  return {
    ...around,
    evidence,
    shown: showEvidence(evidence),
    setting: (name, value) => showSetting(language, name, value)
  }
}

/** Lists the facts that a reader is shown of the evidence of a failure. */
export function factsOn<C extends Code>(
  { code, evidence }: FailureIn<C>,
  clock: string,
  shows = showsToOwner
): readonly Fact[] {
  if (evidence === undefined) return []
  return entryOf(code).facts?.(evidence, clock, shows) ?? []
}

/** A cause of a code, filled with an example. */
export interface ListedCause<C extends Code = Code> extends Advice {
  /** the entry that has the example */
  readonly entry: FailureCause<C>
  /** the cause that a request like the example gets: that of this entry */
  readonly found: FoundCause<FailureCause<C>> | undefined
}

const NOTHING_AROUND: Surroundings = {
  isUnsigned: false,
  isOtherStandard: false,
  isSigned: false,
  clock: THIS_CLOCK,
  search: {},
  body: {}
}

/** Lists all causes of a code in their order, filled with their examples. */
export function listCauses<C extends Code>(code: C, language: SettingsLanguage = 'options'): ListedCause<C>[] {
  const { causes, example } = entryOf(code)
  return causes.flatMap((entry: FailureCause<C>) =>
    (entry.examples ?? [{}]).map(({ evidence: change, ...around }: Example<C>) => {
      const known = knownOf<C>(evidenceIn(example, change), language, { ...NOTHING_AROUND, ...around })
      const found = findCause<Known<C>, FailureCause<C>>(causes, known, language)
      return { entry, found, cause: onlyPrintable(found?.cause ?? ''), fix: onlyPrintable(found?.fix ?? '') }
    })
  )
}

/** Returns the evidence of an example. */
function evidenceIn<C extends Code>(base: object | undefined, change: Example<C>['evidence'] = {}): EvidenceIn<C> {
  if (base === undefined || change === 'none') return undefined as EvidenceIn<C>
  const entries = Object.entries({ ...base, ...change }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as EvidenceIn<C>
}

/**
 * Escapes text of the sender for the texts. Shows at most ten items of a list, because a receiver may have many
 * accounts.
 */
function showEvidence<E>(evidence: E): Shown<E> {
  if (evidence === undefined) return undefined as Shown<E>
  const { expected, expectedCount } = evidence as Partial<ExpectedList>
  const more = expectedCount === undefined ? '' : ` and ${expectedCount - expected!.length} more`
  const shown = Object.entries(evidence as object).map(([name, value]) => [
    name,
    escapeText(textOf(value, 10)) + (name === 'expected' ? more : '')
  ])
  return Object.fromEntries(shown) as Shown<E>
}

/**
 * Replaces the rest: an entry that forgets to escape text from the evidence still prints one line of printable ASCII.
 */
const onlyPrintable = (text: string): string => text.slice(0, 4000).replace(/[^ -~]/g, '?')
