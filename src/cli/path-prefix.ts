import { UsageError } from './usage.ts'

/** The target with the part in front that a proxy takes away. */
export function addPrefix(prefix: string | undefined, target: string): string {
  if (prefix === undefined) return target
  if (!/^\/[!-~]*$/.test(prefix) || /[?#]/.test(prefix)) {
    throw new UsageError(
      "--prefix takes a path such as /hooks; what stands before the account's id is --account-prefix"
    )
  }
  return prefix.replace(/\/$/, '') + target
}
