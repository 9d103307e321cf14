import { isThenable, kindOf, mistake } from '../mistakes.ts'
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
  const start = `${of}() got`
  if (!isThenable(verdict)) throw mistake(start, verdict, 'pass the verdict of verify(request), unchanged', notVerdict)
  const rule = `write ${of}(await verify(request)), or await the verdict first`
  throw mistake(start, verdict, rule, () => 'a Promise, so an await is missing')
}

const notVerdict = (value: unknown): string => `${kindOf(value)} and takes a verdict`
