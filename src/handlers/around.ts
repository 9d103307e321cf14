import { withDeadline } from '../deadline.ts'
import { describe } from '../mistakes/describe.ts'
import { validateFunction } from '../options/values.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { Verify } from '../verify.ts'

/** @throws TypeError */
export function assertFunctions(
  from: string,
  verify: unknown,
  { handle, ...hooks }: { handle: unknown; onRefused: unknown; onError?: unknown }
): void {
  if (typeof verify !== 'function' || typeof (verify as Partial<Verify>).release !== 'function') {
    throw new TypeError(
      `${from}() got ${describe(verify)} for its verifier: pass what createVerifier() returned, not a wrapper`
    )
  }
  validateFunction(handle, 'the handler', '(verified, ...) => answer')
  for (const [name, hook] of Object.entries(hooks)) {
    if (hook !== undefined) validateFunction(hook, `options.${name}`, '(verdict or error, ...) => {}')
  }
}

/** What a hook of the receiver returns. What it throws or rejects with is reported, and changes no response. */
export function callHook<Args extends unknown[]>(
  hook: ((...args: Args) => unknown) | undefined,
  ...args: Args
): unknown {
  try {
    const result = hook?.(...args)
    if (result instanceof Promise) result.catch(error => console.error(error))
    return result
  } catch (error) {
    console.error(error)
    return undefined
  }
}

/** Milliseconds: a response must not wait forever for a store that hangs. */
const RELEASE_TIMEOUT = 1000

/** The handler has failed, so a retry must be accepted. When the store fails too, that is reported as well. */
export async function releaseClaim(verify: Verify, verdict: Verdict | undefined): Promise<void> {
  if (verdict?.status !== 'verified') return
  const late = () =>
    Promise.reject(new Error(`the replay store did not release the claim within ${RELEASE_TIMEOUT} ms`))
  await withDeadline(verify.release(verdict), RELEASE_TIMEOUT, late).catch(error => console.error(error))
}
