import type { Code } from '../result/codes.ts'
import type { Failure } from '../verdict/verdict.ts'
import { allCauses } from './causes/causes.ts'
import type {
  AddedCauses,
  Causes,
  ConditionalCause,
  EvidenceIn,
  Shown,
  Surroundings,
  Text,
  Words
} from './causes/row.ts'
import { textOf } from './facts.ts'
import { type SettingsLanguage, showSetting } from './settings.ts'
import { escapeText } from './text.ts'

/** The likely cause of a failure and its fix, in printable ASCII. */
export function adviceOn(
  { code, evidence }: Failure,
  language: SettingsLanguage,
  around: Surroundings,
  added: AddedCauses = {}
): { cause: string; fix: string } {
  const { changed } = around.search
  const line = changed ? `line ${changed.line} was changed after it was signed: ` : ''
  const { cause, fix } = findCause(code, evidence as EvidenceIn<Code>, language, around, added)
  return { cause: line + cause, fix }
}

function findCause<C extends Code>(
  code: C,
  evidence: EvidenceIn<C>,
  language: SettingsLanguage,
  around: Surroundings,
  added: AddedCauses
) {
  const first: readonly ConditionalCause<C>[] = added[code] ?? []
  const causes: Causes<C> = [...first, ...allCauses()[code]] as unknown as Causes<C>
  const found = causes.find(row => !('when' in row) || row.when(evidence, around)) ?? causes.at(-1)!
  const shown = showEvidence(evidence)
  const words: Words = {
    either: (options, flags) => (language === 'flags' ? flags : options),
    setting: (name, value) => showSetting(language, name, value)
  }
  const textFor = (text: Text<C>): string =>
    onlyPrintable(typeof text === 'string' ? text : text(shown, words, { evidence, around }))
  return { cause: textFor(found.cause), fix: textFor(found.fix) }
}

/**
 * The rows get text of the sender in this form. Of a list no more than ten items: a receiver may have many accounts.
 */
function showEvidence<E>(evidence: E): Shown<E> {
  if (evidence === undefined) return undefined as Shown<E>
  const shown = Object.entries(evidence as object).map(([name, value]) => [name, escapeText(textOf(value, 10))])
  return Object.fromEntries(shown) as Shown<E>
}

/** A row that forgets to escape text from the evidence still prints one line of printable ASCII. */
const onlyPrintable = (text: string): string => text.slice(0, 4000).replace(/[^ -~]/g, '?')
