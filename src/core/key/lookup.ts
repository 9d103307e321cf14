import { withDeadline } from '../promises.ts'
import { errorLabel, type Failed, fail, failureIn, ok, type Result, withCause } from '../result/result.ts'
import { isUnreachable } from '../result/unreachable.ts'
import type { LookupTxt, TxtAnswer } from './types.ts'

/**
 * Asks for the TXT records of a name, with its own deadline however the resolver behaves. No answer is kept;
 * lookups of one name that are in flight at the same moment share one query.
 *
 * A query is aborted at its deadline, and as soon as nobody waits for it: `leaving` is aborted when the request has
 * left. The number of queries that have not settled is bounded.
 *
 * Fails with `key-not-found`, `key-lookup-failed` or `key-lookup-timeout`.
 */
export type Lookup = (name: string, leaving?: AbortSignal) => Promise<Result<TxtAnswer>>

/** A service has one or two keys: only a flood of invented names has more queries in flight. */
const MAX_QUERIES = 1000

/**
 * This many names that had records lately are remembered, and this many more queries are allowed for them: a flood of
 * invented names does not refuse genuine requests.
 */
const MAX_KNOWN_NAMES = 16

/**
 * An aborted query counts until it settles, because its resources are free only then. A `lookupTxt` that ignores the
 * signal may never settle it, and must not refuse all later requests: after this many timeouts
 * the query no longer counts. A resolver of `node:dns` with the defaults of `dnsTxtLookup` gives up after 7 seconds.
 */
const COUNTED_TIMEOUTS = 4

/** A query whose result has not arrived. */
interface Query {
  readonly result: Promise<Result<TxtAnswer>>
  /** how many requests wait for it */
  waiting: number
  /** Aborts the query. The next lookup of its name starts another one. */
  abandon(): void
}

export function createLookup(lookupTxt: LookupTxt, timeout: number, maxQueries = MAX_QUERIES): Lookup {
  const inFlight = new Map<string, Query>()
  /** Aborted queries that have not settled, the oldest first, and until when each counts. */
  const abandoned = new Map<Query, number>()

  const knownNames = new Set<string>()

  const isFull = (limit: number): boolean => {
    if (inFlight.size + abandoned.size < limit) return false
    for (const [query, until] of abandoned) {
      if (until > performance.now()) break
      abandoned.delete(query)
    }
    return inFlight.size + abandoned.size >= limit
  }

  function start(name: string): Query {
    const options = new LookupOptions()
    const answer = call(lookupTxt, name, options)
    let late: Failed | undefined
    let isAbandoned = false
    const onLate = () => {
      query.abandon()
      late = fail('key-lookup-timeout', { name, error: `no answer within ${timeout} ms`, ...serversOf(lookupTxt) })
    }
    const leaveFlight = () => {
      if (inFlight.get(name) === query) inFlight.delete(name)
    }
    const end = (result: Result<TxtAnswer>) => {
      leaveFlight()
      if (result.ok && !knownNames.has(name)) keepName(knownNames, name)
      return result
    }
    const query: Query = {
      result: withDeadline(answer, timeout, onLate).then(
        found => end(late ?? parseAnswer(name, found)),
        error => end(parseError(name, error, lookupTxt))
      ),
      waiting: 0,
      abandon() {
        if (isAbandoned) return
        isAbandoned = true
        leaveFlight()
        abandoned.set(query, performance.now() + COUNTED_TIMEOUTS * timeout)
        const forget = () => abandoned.delete(query)
        answer.then(forget, forget)
        options.abort()
      }
    }
    inFlight.set(name, query)
    return query
  }

  return (name, leaving) => {
    if (leaving?.aborted) return Promise.resolve(aborted(name))
    const shared = inFlight.get(name)
    const limit = knownNames.has(name) ? maxQueries + MAX_KNOWN_NAMES : maxQueries
    if (shared === undefined && isFull(limit))
      return Promise.resolve(fail('key-lookup-failed', { name, error: TOO_MANY, problem: 'late', limit }))
    const query = shared ?? start(name)
    query.waiting += 1
    return leaving === undefined ? query.result : waitUntilLeaving(query, leaving, name)
  }
}

function keepName(names: Set<string>, name: string): void {
  const [oldest] = names
  if (names.size >= MAX_KNOWN_NAMES) names.delete(oldest!)
  names.add(name)
}

const TOO_MANY = 'too many lookups are in flight'

const aborted = (name: string) => fail('key-lookup-failed', { name, error: 'aborted by the receiver', problem: 'late' })

/**
 * Resolves to the result, or to a failure as soon as `leaving` is aborted. Keeps no reference to a request that has
 * left.
 */
function waitUntilLeaving(query: Query, leaving: AbortSignal, name: string): Promise<Result<TxtAnswer>> {
  return new Promise(resolve => {
    const leave = () => {
      resolve(aborted(name))
      query.waiting -= 1
      if (query.waiting === 0) query.abandon()
    }
    leaving.addEventListener('abort', leave, { once: true })
    query.result.then(result => {
      leaving.removeEventListener('abort', leave)
      resolve(result)
    })
  })
}

/**
 * Calls a lookup, which may throw instead of rejecting, or return a value that is not a promise: an answer of a wrong
 * type.
 */
function call(lookupTxt: LookupTxt, name: string, options: LookupOptions): Promise<unknown> {
  try {
    const answer: unknown = lookupTxt(name, options)
    const isPromise = typeof (answer as PromiseLike<unknown> | undefined)?.then === 'function'
    return Promise.resolve(isPromise ? answer : NO_PROMISE)
  } catch (error) {
    return Promise.reject(error)
  }
}

const NO_PROMISE = Symbol('no promise')

/**
 * The second argument of `lookupTxt`. Makes the signal only for a lookup that asks for it: a controller and a listener
 * cost 7 % of a verification.
 */
export class LookupOptions {
  #controller: AbortController | undefined
  #onAbort: (() => void) | undefined

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  /** Aborts the signal, also of a lookup that asks for it later. */
  abort(): void {
    this.#controller ??= new AbortController()
    this.#controller.abort()
    this.#onAbort?.()
  }

  /**
   * Calls back when the query is aborted. For the options that the verifier passes this makes no signal; they have one
   * callback.
   *
   * @returns ends that
   */
  static onAbort(options: { readonly signal: AbortSignal } | undefined, callback: () => void): () => void {
    if (options instanceof LookupOptions) {
      options.#onAbort = callback
      return () => {
        options.#onAbort = undefined
      }
    }
    const signal = options?.signal
    if (signal?.aborted) callback()
    signal?.addEventListener('abort', callback)
    return () => signal?.removeEventListener('abort', callback)
  }
}

function parseAnswer(name: string, answer: unknown): Result<TxtAnswer> {
  try {
    if (isTxtAnswer(answer)) return ok(answer)
    const recorded = failureIn(answer)
    if (recorded !== undefined) return recorded
  } catch {
    // A getter threw.
  }
  const error = answer === NO_PROMISE ? 'it returned no promise' : 'the answer is not of the form string[][]'
  return fail('key-lookup-failed', { name, error, problem: 'wrong-type' })
}

const isTxtAnswer = (answer: unknown): answer is TxtAnswer =>
  isArrayOf(answer, record => isArrayOf(record, chunk => typeof chunk === 'string'))

/** Checks a copy, because `every` skips the holes of a sparse array. */
const isArrayOf = (list: unknown, isElement: (element: unknown) => boolean): boolean =>
  Array.isArray(list) && [...list].every(isElement)

/**
 * Makes a failure of an error. Only `code` decides: NXDOMAIN and "no TXT here" are answers; any other code means there
 * was no answer.
 */
function parseError(name: string, error: unknown, lookupTxt: LookupTxt): Result<TxtAnswer> {
  const code = errorLabel(error)
  if (code === 'ENOTFOUND' || code === 'ENODATA')
    return fail('key-not-found', { name, reason: code, ...serversOf(lookupTxt) })
  const evidence = { name, error: code, ...serversOf(lookupTxt) }
  const failure =
    code === 'ETIMEOUT'
      ? fail('key-lookup-timeout', evidence)
      : fail('key-lookup-failed', { ...evidence, problem: isUnreachable(code) ? 'unreachable' : 'threw' })
  return withCause(failure, error)
}

/** Lists the DNS servers, as far as the lookup names them, as plain data, whatever it returns. */
export function serversOf(lookupTxt: LookupTxt): { servers?: readonly string[] } {
  try {
    const servers = [lookupTxt.servers?.()]
    if (isTxtAnswer(servers)) return { servers: servers[0]!.slice(0, MAX_SERVERS) }
  } catch {
    // Some runtimes cannot list their servers.
  }
  return {}
}

/** An explanation lists at most this many. */
const MAX_SERVERS = 10
