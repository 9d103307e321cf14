import type { SettingsLanguage } from './settings.ts'

/** A whole sentence, or a function that makes it of what is known. */
export type Sentence<K> = string | ((known: K) => string)

/** One sentence where options and flags differ only in the name of a setting, or a whole sentence for each. */
export type Text<K> = Sentence<K> | { readonly [L in SettingsLanguage]: Sentence<K> }

/**
 * A likely cause and its fix, for `explain`, `key`, `send`, `probe` and the gateway.
 *
 * @typeParam K what is known about the situation
 * @typeParam F what `find` finds, which the texts get as `found`
 */
export interface Cause<K, F = unknown> {
  /**
   * Runs once: looks for what the texts say. The cause does not apply where it returns undefined or false; a cause
   * without it always applies.
   */
  readonly find?: (known: K) => F | undefined | false
  readonly cause: Text<K & { readonly found: F }>
  readonly fix: Text<K & { readonly found: F }>
}

/** The texts of the first cause that applies. */
export interface FoundCause<E> {
  /** the entry itself, for what it has besides the texts */
  readonly entry: E
  readonly cause: string
  readonly fix: string
}

/** Makes a cause whose texts use what `find` found. */
export const withFinding = <K, F, X extends object = object>(entry: Cause<K, F> & X): Cause<K> & X =>
  entry as unknown as Cause<K> & X

/** Finds the first cause that applies, and makes its texts. */
export function findCause<K, E extends Cause<K>>(
  causes: readonly E[],
  known: K,
  language: SettingsLanguage = 'options'
): FoundCause<E> | undefined {
  for (const entry of causes) {
    const found = entry.find === undefined || entry.find(known)
    if (found === undefined || found === false) continue
    const all = { ...known, found }
    return { entry, cause: textIn(entry.cause, all, language), fix: textIn(entry.fix, all, language) }
  }
  return undefined
}

/** Makes a text in one of the two languages. */
function textIn<K>(text: Text<K>, known: K, language: SettingsLanguage): string {
  const sentence = typeof text === 'object' ? text[language] : text
  return typeof sentence === 'string' ? sentence : sentence(known)
}
