import { withDeadline } from '../promises.ts'
import { errorLabel, type Failed, fail, ok, type Result, withCause } from '../result/result.ts'
import type { LookupTxt, TxtAnswer } from './types.ts'

/**
 * Asks for the TXT records of a name, with its own deadline however the resolver behaves. No answer is kept;
 * lookups of one name that are in flight at the same moment share one query.
 *
 * Fails with `key-not-found`, `key-lookup-failed` or `key-lookup-timeout`.
 */
export type Lookup = (name: string) => Promise<Result<TxtAnswer>>

export function createLookup(lookupTxt: LookupTxt, timeout: number): Lookup {
  const inFlight = new Map<string, Promise<Result<TxtAnswer>>>()

  return name => {
    const shared = inFlight.get(name)
    if (shared !== undefined) return shared
    const options = new LookupOptions()
    let late: Failed | undefined
    const onLate = () => {
      options.abort()
      late = fail('key-lookup-timeout', { name, error: `no answer within ${timeout} ms`, ...serversOf(lookupTxt) })
    }
    const end = (result: Result<TxtAnswer>) => {
      inFlight.delete(name)
      return result
    }
    const query = withDeadline(call(lookupTxt, name, options), timeout, onLate).then(
      answer => end(late ?? parseAnswer(name, answer)),
      error => end(parseError(name, error, lookupTxt))
    )
    inFlight.set(name, query)
    return query
  }
}

/**
 * The same result, or a failure as soon as `signal` aborts. The query goes on for others that wait for it, and keeps no
 * reference to a request that has left.
 */
export function unlessAborted(
  query: Promise<Result<TxtAnswer>>,
  signal: AbortSignal | undefined,
  name: string
): Promise<Result<TxtAnswer>> {
  if (signal === undefined) return query
  return new Promise(resolve => {
    const leave = () => resolve(fail('key-lookup-failed', { name, error: 'aborted by the receiver' }))
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    query.then(result => {
      signal.removeEventListener('abort', leave)
      resolve(result)
    })
  })
}

/** A lookup may throw where it should reject, or return no promise. */
function call(lookupTxt: LookupTxt, name: string, options: LookupOptions): Promise<unknown> {
  try {
    const answer: unknown = lookupTxt(name, options)
    if (typeof (answer as PromiseLike<unknown> | undefined)?.then === 'function') return Promise.resolve(answer)
    throw new TypeError('lookupTxt returned no promise')
  } catch (error) {
    return Promise.reject(error)
  }
}

/** Makes the signal only for a lookup that asks for it: a controller costs a tenth of an RSA verification. */
class LookupOptions {
  #controller: AbortController | undefined

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  /** The deadline has passed: also for a lookup that asks later. */
  abort(): void {
    this.#controller ??= new AbortController()
    this.#controller.abort()
  }
}

function parseAnswer(name: string, answer: unknown): Result<TxtAnswer> {
  try {
    if (isTxtAnswer(answer)) return ok(answer)
  } catch {
    // A getter threw.
  }
  return fail('key-lookup-failed', {
    name,
    error: 'the answer is not of the form string[][]',
    problem: 'not-an-answer'
  })
}

const isTxtAnswer = (answer: unknown): answer is TxtAnswer =>
  isArrayOf(answer, record => isArrayOf(record, chunk => typeof chunk === 'string'))

/** Checks a copy, because `every` skips the holes of a sparse array. */
const isArrayOf = (list: unknown, isElement: (element: unknown) => boolean): boolean =>
  Array.isArray(list) && [...list].every(isElement)

/** Only `code` decides: NXDOMAIN and "no TXT here" are answers; any other code means there was no answer. */
function parseError(name: string, error: unknown, lookupTxt: LookupTxt): Result<TxtAnswer> {
  const code = errorLabel(error)
  if (code === 'ENOTFOUND' || code === 'ENODATA')
    return fail('key-not-found', { name, reason: code, ...serversOf(lookupTxt) })
  const failure = code === 'ETIMEOUT' ? 'key-lookup-timeout' : 'key-lookup-failed'
  return withCause(fail(failure, { name, error: code, ...serversOf(lookupTxt) }), error)
}

/** The DNS servers, as far as the lookup says: the evidence is plain data, whatever it returns. */
export function serversOf(lookupTxt: LookupTxt): { servers?: readonly string[] } {
  try {
    const servers = [lookupTxt.servers?.()]
    if (isTxtAnswer(servers)) return { servers: servers[0]!.slice(0, MAX_SERVERS) }
  } catch {
    // Some runtimes cannot list their servers.
  }
  return {}
}

/** Nobody reads more of them in an explanation. */
const MAX_SERVERS = 10
