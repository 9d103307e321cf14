import { UsageError } from './usage.ts'

/** The target with the prefix that a proxy strips. */
export function addPrefix(prefix: string | undefined, target: string): string {
  if (prefix === undefined) return target
  if (!/^\/[!-~]*$/.test(prefix) || /[?#]/.test(prefix)) {
    throw new UsageError(
      '--prefix takes a path such as /hooks; the text before the account id is --account-prefix'
    )
  }
  return prefix.replace(/\/$/, '') + target
}
