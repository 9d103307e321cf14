import { errorLabel } from '../verdict/error-label.ts'
import { type Failed, fail, ok, type Result, withCause } from '../verdict/result.ts'
import type { LookupTxt } from './dns.ts'

export type TxtAnswer = readonly (readonly string[])[]

/**
 * Asks for the TXT records of a name, with its own deadline however the resolver behaves. No answer is kept, only the
 * last name; lookups of one name that are in flight at the same moment share one query.
 *
 * Fails with `key-not-found`, `key-lookup-failed` or `key-lookup-timeout`.
 */
export type Lookup = (name: string) => Promise<Result<TxtAnswer>>

export function createLookup(lookupTxt: LookupTxt, timeout: number): Lookup {
  const inFlight = new Map<string, Promise<Result<TxtAnswer>> | undefined>()
  // The last name stays, without its query: an emptied map would be allocated again, 4 % of a verification.
  const forget = (name: string) => (inFlight.size > 1 ? inFlight.delete(name) : inFlight.set(name, undefined))
  return name => {
    const shared = inFlight.get(name)
    if (shared !== undefined) return shared
    const query = ask(lookupTxt, name, timeout, () => forget(name))
    inFlight.set(name, query)
    return query
  }
}

/** One query with its deadline. Never rejects; `onSettled` is called once, and never before this returns. */
function ask(
  lookupTxt: LookupTxt,
  name: string,
  timeout: number,
  onSettled: () => void
): Promise<Result<TxtAnswer>> {
  return new Promise(resolve => {
    const options = new LookupOptions()
    let isSettled = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const settle = (result: Result<TxtAnswer>) => {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      onSettled()
      resolve(result)
    }
    call(lookupTxt, name, options).then(
      answer => settle(isTxtAnswer(answer) ? ok(answer) : notAnAnswer(name)),
      error => settle(parseError(name, error))
    )
    // One turn later: an immediate answer needs no timer, which costs a third of an RSA verification.
    Promise.resolve().then(() => {
      if (isSettled) return
      timer = setTimeout(() => {
        settle(fail('key-lookup-timeout', { name, error: `no answer within ${timeout} ms` }))
        options.abort()
      }, timeout)
    })
  })
}

/** A lookup may throw where it should reject, or return no promise. */
function call(lookupTxt: LookupTxt, name: string, options: LookupOptions): Promise<unknown> {
  try {
    const answer: unknown = lookupTxt(name, options)
    const isPromise = typeof (answer as PromiseLike<unknown> | undefined)?.then === 'function'
    return isPromise
      ? Promise.resolve(answer)
      : Promise.reject(new TypeError('lookupTxt returned no promise'))
  } catch (error) {
    return Promise.reject(error)
  }
}

/**
 * Makes the signal only for a lookup that asks for it: a controller costs a tenth of an RSA verification. A class, so
 * that the getter is made once and not with each lookup.
 */
class LookupOptions {
  #made: AbortController | undefined

  get #controller(): AbortController {
    this.#made ??= new AbortController()
    return this.#made
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(): void {
    this.#controller.abort()
  }
}

/** A loop, because `every` skips the holes of a sparse array. */
function isTxtAnswer(answer: unknown): answer is TxtAnswer {
  if (!Array.isArray(answer)) return false
  for (const record of answer) {
    if (!Array.isArray(record)) return false
    for (const chunk of record) if (typeof chunk !== 'string') return false
  }
  return true
}

const notAnAnswer = (name: string): Failed =>
  fail('key-lookup-failed', { name, error: 'the answer is not of the form string[][]' })

/** Only `code` decides: NXDOMAIN and "no TXT here" are answers; any other code means there was no answer. */
function parseError(name: string, error: unknown): Result<TxtAnswer> {
  const code = errorLabel(error)
  if (code === 'ENOTFOUND' || code === 'ENODATA') return fail('key-not-found', { name, reason: code })
  const failure = code === 'ETIMEOUT' ? 'key-lookup-timeout' : 'key-lookup-failed'
  return withCause(fail(failure, { name, error: code }), error)
}
