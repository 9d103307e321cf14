import { errorLabel } from '../error-label.ts'
import { type Failed, fail, ok, type Result } from '../result.ts'
import type { LookupTxt } from './dns.ts'

export type TxtAnswer = readonly (readonly string[])[]

/**
 * Asks for the TXT records of a name, with a deadline of our own however the resolver behaves. Nothing is kept, but
 * look-ups of one name that are in flight at the same moment share one query.
 *
 * Fails with `key-not-found`, `key-lookup-failed` or `key-lookup-timeout`.
 */
export type LookUp = (name: string) => Promise<Result<TxtAnswer>>

export function createLookUp(lookupTxt: LookupTxt, timeout: number): LookUp {
  const inFlight = new Map<string, Promise<Result<TxtAnswer>>>()
  /** The one in flight while there is no other, which is most of the time: it needs no map. */
  let alone: { name: string; query: Promise<Result<TxtAnswer>> } | undefined

  return name => {
    const shared = alone?.name === name ? alone.query : inFlight.get(name)
    if (shared !== undefined) return shared

    const options = new LookupOptions()
    let result: Result<TxtAnswer> | undefined
    let query: Promise<Result<TxtAnswer>> | undefined
    let onResult: ((result: Result<TxtAnswer>) => void) | undefined
    const settle = (settled: Result<TxtAnswer>) => {
      // After the deadline the entry may be a later query's.
      if (result !== undefined) return
      result = settled
      if (alone?.query === query) alone = undefined
      else inFlight.delete(name)
      onResult?.(settled)
    }
    try {
      lookupTxt(name, options).then(
        answer => settle(isTxtAnswer(answer) ? ok(answer) : notAnAnswer(name)),
        error => settle(readError(name, error))
      )
    } catch (error) {
      settle(readError(name, error))
    }
    // An answer that was at hand is there by then, and needs no timer.
    query = RESOLVED.then(() => {
      if (result !== undefined) return result
      return new Promise<Result<TxtAnswer>>(resolve => {
        const timer = setTimeout(() => {
          settle(fail('key-lookup-timeout', { name, error: `no answer within ${timeout} ms` }))
          options.abort()
        }, timeout)
        onResult = settled => {
          clearTimeout(timer)
          resolve(settled)
        }
      })
    })
    if (result !== undefined) return query
    if (alone === undefined) alone = { name, query }
    else inFlight.set(name, query)
    return query
  }
}

const RESOLVED = Promise.resolve()

/** Makes the signal only for a look-up that asks for it: a controller costs a tenth of an RSA verification. */
class LookupOptions {
  #controller: AbortController | undefined
  #aborted = false

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#aborted) this.#controller.abort()
    return this.#controller.signal
  }

  abort(): void {
    this.#aborted = true
    this.#controller?.abort()
  }
}

/** Loops, because `every` passes over the holes of a sparse array. */
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

/** `code` is the discriminator; NXDOMAIN and "no TXT here" are answers, everything else is the lack of one. */
function readError(name: string, error: unknown): Result<TxtAnswer> {
  const code = errorLabel(error)
  if (code === 'ENOTFOUND' || code === 'ENODATA') return fail('key-not-found', { name, reason: code })
  if (code === 'ETIMEOUT') return fail('key-lookup-timeout', { name, error: code })
  return fail('key-lookup-failed', { name, error: code })
}
