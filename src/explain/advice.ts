import type { Code } from '../core/result/codes.ts'
import { causesOf, factsOf } from './causes/causes.ts'
import type { AddedCauses, Cause, EvidenceIn, Known, Shown, Surroundings, Text } from './causes/row.ts'
import { type Fact, textOf } from './facts.ts'
import { type SettingsLanguage, showSetting } from './settings.ts'
import { escapeText } from './text.ts'

/** The part of a failure that is read here. */
interface FailureIn<C extends Code> {
  readonly code: C
  readonly evidence?: EvidenceIn<C>
}

/** Finds the likely cause of a failure and its fix, in printable ASCII. */
export function adviceOn<C extends Code>(
  { code, evidence }: FailureIn<C>,
  language: SettingsLanguage,
  around: Surroundings,
  added: AddedCauses = {}
): { cause: string; fix: string } {
  const known: Known<C> = {
    ...around,
    evidence: evidence as EvidenceIn<C>,
    shown: showEvidence(evidence as EvidenceIn<C>),
    setting: (name, value) => showSetting(language, name, value)
  }
  const { cause, fix } = findCause(code, known, added)
  const { changed } = around.search
  const line = changed ? `line ${changed.line} was changed after it was signed: ` : ''
  return { cause: line + textFor(cause, known, language), fix: textFor(fix, known, language) }
}

function findCause<C extends Code>(code: C, known: Known<C>, added: AddedCauses): Cause<C> {
  const causes = causesOf(code)
  return (
    added[code]?.find(row => row.when(known)) ??
    causes.find(row => !('when' in row) || row.when(known)) ??
    causes[causes.length - 1]!
  )
}

function textFor<C extends Code>(text: Text<C>, known: Known<C>, language: SettingsLanguage): string {
  const sentence = typeof text === 'object' ? text[language] : text
  return onlyPrintable(typeof sentence === 'string' ? sentence : sentence(known))
}

/** Lists the facts that a reader is shown of the evidence of a failure. */
export function factsOn<C extends Code>({ code, evidence }: FailureIn<C>, clock: string): readonly Fact[] {
  return evidence === undefined ? [] : (factsOf(code)?.(evidence, clock) ?? [])
}

/**
 * Escapes text of the sender for the rows. Shows at most ten items of a list, because a receiver may have many
 * accounts.
 */
function showEvidence<E>(evidence: E): Shown<E> {
  if (evidence === undefined) return undefined as Shown<E>
  const shown = Object.entries(evidence as object).map(([name, value]) => [name, escapeText(textOf(value, 10))])
  return Object.fromEntries(shown) as Shown<E>
}

/** Replaces the rest: a row that forgets to escape text from the evidence still prints one line of printable ASCII. */
const onlyPrintable = (text: string): string => text.slice(0, 4000).replace(/[^ -~]/g, '?')
