import type { Io } from './io.ts'

/** One command of the command line. */
export interface Command {
  /** after the name in the list of commands */
  readonly summary: string
  /** what --help prints: `helpText` makes it */
  readonly help: string
  /** Resolves to the exit code. @throws UsageError for a mistake */
  run(args: string[], io: Io): Promise<number>
}
