import { isThenable } from '../mistakes/mistakes.ts'
import { withDeadline } from '../promises.ts'
import { errorLabel, fail, ok, type Result, withCause } from '../verdict/result.ts'
import type { LookupTxt } from './dns.ts'

export type TxtAnswer = readonly (readonly string[])[]

/**
 * Asks for the TXT records of a name, with its own deadline however the resolver behaves. No answer is kept;
 * lookups of one name that are in flight at the same moment share one query.
 *
 * Fails with `key-not-found`, `key-lookup-failed` or `key-lookup-timeout`.
 */
export type Lookup = (name: string) => Promise<Result<TxtAnswer>>

export function createLookup(lookupTxt: LookupTxt, timeout: number): Lookup {
  const inFlight = new Map<string, Promise<Result<TxtAnswer>>>()

  async function ask(name: string): Promise<Result<TxtAnswer>> {
    const options = new LookupOptions()
    // A lookup may throw where it should reject, or return no promise.
    const call = async (): Promise<unknown> => {
      const answer: unknown = lookupTxt(name, options)
      if (isThenable(answer)) return answer
      throw new TypeError('lookupTxt returned no promise')
    }
    try {
      const answer = await withDeadline(call(), timeout, () => {
        options.abort()
        return LATE
      })
      if (answer !== LATE) return parseAnswer(name, answer)
      const error = `no answer within ${timeout} ms`
      return fail('key-lookup-timeout', { name, error, ...asked(lookupTxt) })
    } catch (error) {
      return parseError(name, error, lookupTxt)
    } finally {
      inFlight.delete(name)
    }
  }

  return name => {
    const query = inFlight.get(name) ?? ask(name)
    inFlight.set(name, query)
    return query
  }
}

const LATE = Symbol('late')

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
  return fail('key-lookup-failed', { name, error: 'the answer is not of the form string[][]' })
}

const isTxtAnswer = (answer: unknown): answer is TxtAnswer =>
  isArrayOf(answer, record => isArrayOf(record, chunk => typeof chunk === 'string'))

/** Of a copy, because `every` skips the holes of a sparse array. */
const isArrayOf = (list: unknown, isElement: (element: unknown) => boolean): boolean =>
  Array.isArray(list) && [...list].every(isElement)

/** Only `code` decides: NXDOMAIN and "no TXT here" are answers; any other code means there was no answer. */
function parseError(name: string, error: unknown, lookupTxt: LookupTxt): Result<TxtAnswer> {
  const code = errorLabel(error)
  if (code === 'ENOTFOUND' || code === 'ENODATA')
    return fail('key-not-found', { name, reason: code, ...asked(lookupTxt) })
  const failure = code === 'ETIMEOUT' ? 'key-lookup-timeout' : 'key-lookup-failed'
  return withCause(fail(failure, { name, error: code, ...asked(lookupTxt) }), error)
}

/** The DNS servers, as far as the lookup says: the evidence is plain data, whatever it returns. */
export function asked(lookupTxt: LookupTxt): { servers?: readonly string[] } {
  try {
    const servers = [lookupTxt.servers?.()]
    if (isTxtAnswer(servers)) return { servers: servers[0]!.slice(0, MAX_SERVERS) }
  } catch {
    // Not every runtime knows.
  }
  return {}
}

/** More than anyone reads in an explanation. */
const MAX_SERVERS = 10
