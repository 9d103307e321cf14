import { isThenable, mistake } from '../mistakes.ts'
import type { Verdict } from './verdict.ts'

const STATUSES: ReadonlySet<unknown> = new Set<Verdict['status']>(['verified', 'rejected', 'unavailable'])

/**
 * Throws for a mistake in the receiver's own code: a verdict that was not awaited, or another value.
 *
 * @param of the function that was called, for the message
 * @throws TypeError
 */
export function assertVerdict(of: string, verdict: unknown): asserts verdict is Verdict {
  const { status, failures, checks } = (verdict ?? {}) as Partial<Record<keyof Verdict, unknown>>
  if (STATUSES.has(status) && Array.isArray(failures) && typeof checks === 'object' && checks !== null) return
  const rule = isThenable(verdict)
    ? `write ${of}(await verify(request)), or await the verdict first`
    : 'it takes a verdict, so pass that of verify(request), unchanged'
  throw mistake(`${of}() got`, verdict, rule)
}
