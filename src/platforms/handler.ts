import { kindOf } from '../mistakes.ts'
import { validateFunction } from '../options/values.ts'
import { withDeadline } from '../promises.ts'
import type { Verified } from '../verdict/verdict.ts'
import type { Verify } from '../verify.ts'

/** @throws TypeError for a verifier, a handler or a hook that is not one */
export function validateHandler(from: string, verify: unknown, handle: unknown, hooks: object): void {
  if (typeof verify !== 'function' || typeof (verify as Partial<Verify>).release !== 'function')
    throw new TypeError(
      `${from}() got ${kindOf(verify)} for its verifier: pass what createVerifier() returned, not a wrapper`
    )
  validateFunction(handle, 'the handler', '(verified, ...) => answer')
  for (const [name, hook] of Object.entries(hooks))
    if (hook !== undefined) validateFunction(hook, `options.${name}`, '(verdict or error, ...) => {}')
}

/** Milliseconds: a response must not wait forever for a store that hangs. */
const RELEASE_TIMEOUT = 1000

/**
 * What the handler of the receiver returns. When it fails, the claim is released, so that a retry is accepted. When the
 * store fails too, that is reported as well.
 */
export async function orRelease<T>(verify: Verify, verdict: Verified, handle: () => T): Promise<Awaited<T>> {
  try {
    return await handle()
  } catch (error) {
    const late = () =>
      Promise.reject(new Error(`the replay store did not release the claim within ${RELEASE_TIMEOUT} ms`))
    await withDeadline(verify.release(verdict), RELEASE_TIMEOUT, late).catch(error => console.error(error))
    throw error
  }
}

type Hook<Args extends unknown[]> = ((...args: Args) => unknown) | undefined

/** What a hook of the receiver returns. What it throws or rejects with is reported, and changes no response. */
export function callHook<Args extends unknown[]>(hook: Hook<Args>, ...args: Args): unknown {
  try {
    const result = hook?.(...args)
    if (result instanceof Promise) result.catch(error => console.error(error))
    return result
  } catch (error) {
    console.error(error)
    return undefined
  }
}
