/**
 * Mistakes on the command line or in what it points to: a line on stderr for each, and exit code 64 (EX_USAGE of
 * sysexits.h).
 */
export class UsageError extends Error {
  readonly lines: readonly string[]

  constructor(...lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

type Results<T extends readonly (() => unknown)[]> = { -readonly [I in keyof T]: ReturnType<T[I]> }

/** Runs every step and returns what each returned. @throws UsageError with the lines of all that failed */
export function runAll<T extends readonly (() => unknown)[]>(...steps: T): Results<T> {
  const lines: string[] = []
  const results = steps.map(step => {
    try {
      return step()
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      lines.push(...error.lines)
      return undefined
    }
  })
  if (lines.length > 0) throw new UsageError(...lines)
  return results as Results<T>
}
