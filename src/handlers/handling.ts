import { describe } from '../mistakes/describe.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { Verify } from '../verify.ts'

/** @throws TypeError */
export function assertFunctions(from: string, verify: unknown, handle: unknown): void {
  const isVerifier = typeof verify === 'function' && typeof (verify as Partial<Verify>).release === 'function'
  if (!isVerifier) {
    throw new TypeError(
      `${from}() got ${describe(verify)} for its verifier: pass the function that createVerifier() returned, ` +
        'not a wrapper'
    )
  }
  if (typeof handle !== 'function') {
    throw new TypeError(
      `${from}() got ${describe(handle)} for its handler: pass a function (verified, ...) => answer`
    )
  }
}

/** @throws TypeError */
export function validateHook(hook: unknown, option: string): void {
  if (hook === undefined || typeof hook === 'function') return
  throw new TypeError(`options.${option} is ${describe(hook)}: pass a function`)
}

/** The properties that exist, on an object without a prototype. */
export function pick<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  const picked: Pick<T, K> = Object.create(null)
  for (const name of names) if (name in from) picked[name] = from[name]
  return picked
}

/** Hooks are for logging: what one throws or rejects is reported, and changes no answer. */
export function callHook<Args extends unknown[]>(
  hook: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void {
  try {
    const result = hook?.(...args)
    if (result instanceof Promise) result.catch(console.error)
  } catch (error) {
    console.error(error)
  }
}

/** Milliseconds: an answer must not wait forever for a store that hangs. */
const RELEASE_TIMEOUT = 1000

/**
 * The handler has failed, so a retry must be accepted. If the store fails too, the handler's error is still reported.
 */
export async function releaseClaim(
  verify: Verify,
  verdict: Verdict | undefined,
  report: (error: unknown) => void = console.error
): Promise<void> {
  if (verdict?.status !== 'verified') return
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((_, reject) => {
    const error = new Error(`the replay store did not release the claim within ${RELEASE_TIMEOUT} ms`)
    timer = setTimeout(reject, RELEASE_TIMEOUT, error)
  })
  try {
    await Promise.race([verify.release(verdict), late])
  } catch (error) {
    report(error)
  } finally {
    clearTimeout(timer)
  }
}
