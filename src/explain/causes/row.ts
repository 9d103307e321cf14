import type { Code } from '../../result/codes.ts'
import type { EvidenceByCode, SometimesEvident } from '../../result/evidence.ts'
import type { Search } from '../changed-line.ts'
import type { SettingName } from '../settings.ts'

/** What is known of a failure besides its own evidence. */
export interface Surroundings {
  /** nothing of a signed request is there */
  readonly isUnsigned: boolean
  /** the request looks signed by the other standard */
  readonly isOtherStandard: boolean
  /** the header that the failure is about is missing, and the signature covers it */
  readonly isSigned: boolean
  /** whose clock the times are compared with, such as this machine's */
  readonly clock: string
  /** what the search for a changed line of the signing string has found */
  readonly search: Search
}

/** Evidence of a code as the verdict has it; undefined where there is none. Its text comes from outside. */
export type EvidenceIn<C extends Code> = C extends keyof EvidenceByCode
  ? EvidenceByCode[C] | (C extends SometimesEvident ? undefined : never)
  : undefined

/** The same evidence as text that can be printed: escaped, and cut to a bounded length. */
export type Shown<E> = E extends object
  ? { readonly [K in keyof E]: undefined extends E[K] ? string | undefined : string }
  : undefined

/** How a reader is addressed: one who writes options in code, or one who writes flags. */
export interface Words {
  /** the first text for a reader of options, the second for a reader of flags */
  either(options: string, flags: string): string
  /** the name of a setting; with a value, as it is written: `hosts: [..., 'a.example']` or `--host a.example` */
  setting(name: SettingName, value?: string): string
}

/**
 * A cause or a fix. A function is given the evidence as printable text, the reader's words, and what a helper needs:
 * the evidence itself and the surroundings.
 */
export type Text<C extends Code> =
  | string
  | ((
      shown: Shown<EvidenceIn<C>>,
      words: Words,
      found: { readonly evidence: EvidenceIn<C>; readonly around: Surroundings }
    ) => string)

/** What a failure most likely means, and what to do. */
export interface Cause<C extends Code> {
  readonly cause: Text<C>
  readonly fix: Text<C>
}

/** A cause that is likely when its condition holds. */
export interface ConditionalCause<C extends Code> extends Cause<C> {
  readonly when: (evidence: EvidenceIn<C>, around: Surroundings) => boolean
}

/** The causes of a code: the first one whose condition holds counts, and the last one needs no condition. */
export type Causes<C extends Code> = readonly [...ConditionalCause<C>[], Cause<C>]

/** Causes that a program adds to a diagnosis, by code: they come before all others. */
export type AddedCauses = { readonly [C in Code]?: readonly ConditionalCause<C>[] }

/** The cause where no rule here recognises what was done. */
export const UNKNOWN_CAUSE = {
  cause: 'the sender wrote it so, or a proxy changed it: the log of the sender tells which',
  fix: 'Have proxies pass every header on unchanged.'
} as const
