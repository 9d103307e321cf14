import type { CheckName, CheckOf, Code } from '../../core/result/codes.ts'
import type { EvidenceByCode, SometimesEvident } from '../../core/result/evidence.ts'
import type { BodyChange } from '../body/change.ts'
import type { Search } from '../changed-line.ts'
import type { Fact } from '../facts.ts'
import type { SettingName } from '../settings.ts'

/** Facts about a failure besides its own evidence. */
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
  /** what happened to a body that does not match */
  readonly body: BodyChange
}

/** Evidence of a code as the verdict has it; undefined where there is none. Its text comes from outside. */
export type EvidenceIn<C extends Code> = C extends keyof EvidenceByCode
  ? EvidenceByCode[C] | (C extends SometimesEvident ? undefined : never)
  : undefined

/** The same evidence as text that can be printed: escaped, and cut to a bounded length. */
export type Shown<E> = E extends object
  ? { readonly [K in keyof E]: undefined extends E[K] ? string | undefined : string }
  : undefined

/** All values that a cause may depend on, or quote. */
export interface Known<C extends Code> extends Surroundings {
  /** the evidence as text for a reader */
  readonly shown: Shown<EvidenceIn<C>>
  /** the evidence itself: its text comes from outside and is not printed */
  readonly evidence: EvidenceIn<C>
  /** the name of a setting; with a value, as it is written: `hosts: [..., 'a.example']` or `--host a.example` */
  setting(name: SettingName, value?: string): string
}

/** A whole sentence, or a function that makes it of the known values. */
export type Sentence<C extends Code> = string | ((known: Known<C>) => string)

/**
 * A cause or a fix: one sentence where options and flags differ only in the name of a setting, or two whole sentences.
 */
export type Text<C extends Code> = Sentence<C> | { readonly options: Sentence<C>; readonly flags: Sentence<C> }

/** The likely meaning of a failure, and what to do. */
export interface Cause<C extends Code> {
  readonly cause: Text<C>
  readonly fix: Text<C>
}

/** A cause that is likely when its condition holds. */
export interface ConditionalCause<C extends Code> extends Cause<C> {
  readonly when: (known: Known<C>) => boolean
}

/** The causes of a code: the first one whose condition holds counts, and the last one needs no condition. */
export type Causes<C extends Code> = readonly [...ConditionalCause<C>[], Cause<C>]

/** Lists the facts that a reader is shown of the evidence of a code. */
export type Facts<C extends Code> = (evidence: NonNullable<EvidenceIn<C>>, clock: string) => readonly Fact[]

type CodeOf<N extends CheckName> = { [C in Code]: CheckOf<C> extends N ? C : never }[Code]

/** The causes of every code of a check. */
export type CausesOf<N extends CheckName> = { readonly [C in CodeOf<N>]: Causes<C> }

/** The facts of every code of a check that has evidence. */
export type FactsOf<N extends CheckName> = { readonly [C in Extract<CodeOf<N>, keyof EvidenceByCode>]: Facts<C> }

/** Causes that a program adds to a diagnosis, by code: they come before all others. */
export type AddedCauses = { readonly [C in Code]?: readonly ConditionalCause<C>[] }

/** The cause where no rule here recognises the change. */
export const UNKNOWN_CAUSE = {
  cause: "the sender wrote it this way, or a proxy changed it: the sender's log shows which",
  fix: 'Have proxies pass every header on unchanged.'
} as const
