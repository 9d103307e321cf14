import { UsageError } from '../flags/usage-error.ts'
import { isPathPrefix, restorePathPrefix } from '../src/internal/index.ts'

/** Adds the prefix that a proxy strips to the target. @throws UsageError */
export function addPrefix(prefix: string | undefined, target: string): string {
  if (prefix === undefined) return target
  if (isPathPrefix(prefix)) return restorePathPrefix(prefix, target)
  throw new UsageError('--prefix takes a path such as /hooks; the text before the account id is --account-prefix')
}
