import type { ReceivedRequest } from '../core/http/request.ts'
import { kindOf, mistake, validateAll } from '../core/mistakes.ts'
import { validateFunction, validateOptionalFunction } from '../core/options/values.ts'
import { withDeadline } from '../core/promises.ts'
import type { Rejected, Unavailable, Verified } from '../core/verdict/verdict.ts'
import type { Verify } from '../core/verify.ts'
import { type Refusal, refusalOf } from './refusal.ts'
import type { Report } from './report.ts'

/** Validates what a receiver passes. @throws TypeError for a verifier, a handler or a hook that is not one */
export function validateHandler(from: string, verify: unknown, handle: unknown, hooks: object): void {
  validateAll(
    () => validateVerifier(from, verify),
    () => validateHandle(handle),
    () => validateHooks(hooks)
  )
}

/** @throws TypeError */
export function validateHandle(handle: unknown): void {
  validateFunction(handle, 'the handler', '(verified, ...) => answer')
}

/** @throws TypeError */
export function validateVerifier(from: string, verify: unknown): void {
  if (typeof verify !== 'function' || typeof (verify as Partial<Verify>).release !== 'function')
    throw mistake(
      `${from}() got`,
      verify,
      'pass the result of createVerifier(), not a wrapper',
      value => `${kindOf(value)} for its verifier`
    )
}

/** @throws TypeError */
export function validateHooks(hooks: object): void {
  const shape = '(verdict or error, ...) => {}'
  const validations = Object.entries(hooks).map(([name, hook]) => {
    return () => validateOptionalFunction(hook, `options.${name}`, shape)
  })
  validateAll(...validations)
}

/** The functions in which platforms differ, for one call of a handler. */
export interface PlatformCall<Answer> {
  /** Reports what must not change an answer, such as an error of a hook. */
  readonly report: Report
  /** Makes the received request of the platform's own, and undoes the changes of a proxy. */
  read(): ReceivedRequest
  /** Calls `onRefused` of the receiver. */
  onRefused(verdict: Rejected | Unavailable): unknown
  /** Answers a refused request. */
  refuse(refusal: Refusal): Answer | Promise<Answer>
  /**
   * Runs the handler of the receiver, and answers with its result. If it throws, `runHandler` releases the claim; if
   * its answer has a status of 500 or more, the platform does, because each has its own form of an answer.
   */
  handle(verified: Verified, release: Release): Answer | Promise<Answer>
}

/** Releases the claim of one request, so that a retry is accepted. Never rejects, and takes a second at most. */
export type Release = () => Promise<void>

/**
 * Returns whether an answer with this status says that the receiver's own work has failed: a retry must be accepted.
 */
export const isFailure = (status: unknown): boolean => Number(status) >= 500

/**
 * Reads a request, verifies it, and refuses it or hands it over. When that fails, the claim is released, and the error
 * is rethrown: each platform has its own answer for an error.
 *
 * @param from the name of the function that the receiver called, for messages
 */
export async function runHandler<Answer>(from: string, verify: Verify, call: PlatformCall<Answer>): Promise<Answer> {
  const verdict = await verify(call.read())
  if (verdict.status !== 'verified')
    return call.refuse(refusalOf(verdict, from, callHook(call.report, call.onRefused, verdict)))
  let released: Promise<void> | undefined
  const release = () => {
    released ??= releaseInTime(verify, verdict, call.report)
    return released
  }
  try {
    return await call.handle(verdict, release)
  } catch (error) {
    await release()
    throw error
  }
}

/** Milliseconds: a response must not wait forever for a store that hangs. */
const RELEASE_TIMEOUT = 1000

/** Releases a claim, so that a retry is accepted. Never rejects: a store that fails or is late is reported. */
async function releaseInTime(verify: Verify, verdict: Verified, report: Report): Promise<void> {
  const late = () =>
    Promise.reject(new Error(`the replay store did not release the claim within ${RELEASE_TIMEOUT} ms`))
  await withDeadline(verify.release(verdict), RELEASE_TIMEOUT, late).catch(report)
}

/** Calls a hook of the receiver. An error of the hook is reported, and changes no response. */
export function callHook<Args extends unknown[]>(
  report: Report,
  hook: (...args: Args) => unknown,
  ...args: Args
): unknown {
  try {
    const result = hook(...args)
    if (result instanceof Promise) result.catch(report)
    return result
  } catch (error) {
    report(error)
    return undefined
  }
}
