import type { CheckName, CheckOf, Code } from '../../core/result/codes.ts'
import type { EvidenceByCode, EvidenceOf, SometimesEvident } from '../../core/result/evidence.ts'
import type { BodyChange } from '../body/change.ts'
import type { Cause } from '../cause.ts'
import type { Search } from '../changed-line.ts'
import type { Fact } from '../facts.ts'
import type { SettingName } from '../settings.ts'
import type { ShowsValue } from '../shown-values.ts'

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
  /** address and port of a server that the error of the receiver's own function names */
  readonly place?: string | undefined
}

/** The evidence of a code, or undefined. Its text comes from outside. */
export type EvidenceIn<C extends Code> = C extends keyof EvidenceByCode
  ? EvidenceByCode[C] | (C extends SometimesEvident ? undefined : never)
  : undefined

/** The same evidence as text that can be printed: escaped, and cut to a bounded length. */
export type Shown<E> = E extends object
  ? { readonly [K in keyof E]: undefined extends E[K] ? string | undefined : string }
  : undefined

/** Holds what a cause may depend on or quote. */
export interface Known<C extends Code> extends Surroundings {
  /** the evidence as text for a reader */
  readonly shown: Shown<EvidenceIn<C>>
  /** the evidence itself: its text comes from outside and is not printed */
  readonly evidence: EvidenceIn<C>
  /** the name of a setting; with a value, as it is written: `hosts: [..., 'a.example']` or `--host a.example` */
  setting(name: SettingName, value?: string): string
}

/**
 * A situation that shows a cause: how its evidence differs from the example of the code (`undefined` takes a member
 * out, `none` all of it), and what is known besides.
 */
export interface Example<C extends Code> extends Partial<Surroundings> {
  readonly evidence?:
    | 'none'
    | { readonly [K in keyof NonNullable<EvidenceIn<C>>]?: NonNullable<EvidenceIn<C>>[K] | undefined }
}

/**
 * A cause of a failure. `explain CODE` and the page print it once for each example; without any, for that of the code.
 */
export interface FailureCause<C extends Code, F = unknown> extends Cause<Known<C>, F> {
  readonly examples?: readonly Example<C>[]
}

/** A cause that applies in some situations only. */
export interface ConditionalCause<C extends Code, F = unknown> extends FailureCause<C, F> {
  readonly find: (known: Known<C>) => F | undefined | false
}

/** A cause that always applies. */
export interface LastCause<C extends Code> extends FailureCause<C> {
  readonly find?: never
}

/** Makes a cause whose texts use what `find` found. */
export const causeOf = <C extends Code, F>(entry: ConditionalCause<C, F>): ConditionalCause<C> =>
  entry as unknown as ConditionalCause<C>

/** The causes of a code: the first one that applies counts, and the last one always applies. */
export type Causes<C extends Code> = readonly [...ConditionalCause<C>[], LastCause<C>]

/** Lists the facts that a reader is shown of the evidence of a code. */
export type Facts<C extends Code> = (
  evidence: NonNullable<EvidenceIn<C>>,
  clock: string,
  shows: ShowsValue
) => readonly Fact[]

/** Describes a code for its page and for `explain`. Backticks in the texts are for the page. */
export interface AboutCode<C extends Code> {
  /** what the code means */
  readonly about: string
  /** more advice that does not depend on the request */
  readonly also?: string
  readonly causes: Causes<C>
  readonly example?: EvidenceOf<C>
  /** what the members of the example mean */
  readonly exampleNote?: string
  readonly facts?: Facts<C> | undefined
}

/** A code that has evidence without an example and facts does not compile. */
type CodeEntry<C extends Code> = AboutCode<C> &
  (C extends keyof EvidenceByCode
    ? { readonly example: EvidenceByCode[C]; readonly facts: Facts<C> }
    : { readonly example?: never; readonly facts?: never })

type CodeOf<N extends CheckName> = { [C in Code]: CheckOf<C> extends N ? C : never }[Code]

/** The entry of every code of a check: a code without an entry does not compile. */
export type EntriesOf<N extends CheckName> = { readonly [C in CodeOf<N>]: CodeEntry<C> }

/** Causes that a program adds to a diagnosis, by code: they come before all others. */
export type AddedCauses = { readonly [C in Code]?: readonly ConditionalCause<C>[] }

/** The cause where the evidence has the names that API Gateway has given to headers. */
export const RENAMED = {
  cause: ({ shown }: { readonly shown: { readonly renamed?: string | undefined } | undefined }) =>
    `a REST API of API Gateway renamed it: the request has ${shown?.renamed}`,
  fix: 'Receive it through an HTTP API of API Gateway, or through another proxy: a REST API renames Date and others.'
} as const
