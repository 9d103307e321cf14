import type { Flags, Values } from '../flags/flag.ts'
import type { Secret } from '../flags/parse.ts'
import { SHARED, UNSHARED } from '../flags/table.ts'
import type { Io } from './command.ts'

/** Each command that can print JSON has this flag. */
export const JSON_FLAG = { flag: 'json', kind: 'switch', about: 'print JSON' } as const

/** One command of the command line. Its help is made of this object. */
export interface Command<F extends Flags = Flags> {
  /** its purpose, for its help: paragraphs */
  readonly about: readonly string[]
  /** in brackets when it may be left out, with dots when there may be several; none where there is no argument */
  readonly argument?: string
  readonly flags: F
  /** a secret that it takes from an environment variable */
  readonly secret?: Secret
  /** each in one line, or in lines that end with a backslash */
  readonly examples: readonly string[]
  /** the meaning of each exit code */
  readonly exits: Readonly<Record<0 | 1 | 2 | 64, string>>
  /**
   * Resolves to the exit code; `argument` is the first of `all`, and empty when it was left out.
   *
   * @throws UsageError for a mistake
   */
  run(values: Values<F>, io: Io, argument: string, all: readonly string[]): Promise<number>
}

/**
 * Flags of other commands. `drain` is a flag of the gateway: its variable may be set beside this command, and would be
 * taken for a misspelled SIGNED_REQUESTS_DOMAIN.
 */
export const OTHERS: Flags = { ...SHARED, ...UNSHARED, drain: { flag: 'drain', kind: 'number', about: '' } }
