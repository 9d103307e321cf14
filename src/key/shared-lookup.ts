import { errorLabel } from '../error-label.ts'
import { fail, ok, type Result } from '../result.ts'
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

  return name => {
    const shared = inFlight.get(name)
    if (shared !== undefined) return shared

    const waiting = new Waiting()
    const query = new Promise<Result<TxtAnswer>>(resolve => {
      const expire = () => {
        settle(fail('key-lookup-timeout', { name, error: `no answer within ${timeout} ms` }))
        waiting.controller?.abort()
      }
      const settle = (result: Result<TxtAnswer>) => {
        // After the deadline the entry may be a later query's.
        if (!waiting.ended) inFlight.delete(name)
        waiting.ended = true
        clearTimeout(waiting.timer)
        resolve(result)
      }
      try {
        lookupTxt(name, waiting).then(
          answer => settle(readAnswer(name, answer)),
          error => settle(readError(name, error))
        )
      } catch (error) {
        settle(readError(name, error))
      }
      // An answer that was at hand has settled by then, and needs no timer.
      RESOLVED.then(() => {
        if (!waiting.ended) waiting.timer = setTimeout(expire, timeout)
      })
    })
    if (!waiting.ended) inFlight.set(name, query)
    return query
  }
}

const RESOLVED = Promise.resolve()

/** Makes the signal only for a look-up that asks for it: a controller costs a tenth of an RSA verification. */
class Waiting {
  ended = false
  timer: NodeJS.Timeout | undefined
  controller: AbortController | undefined

  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    if (this.ended) this.controller.abort()
    return this.controller.signal
  }
}

function readAnswer(name: string, answer: TxtAnswer): Result<TxtAnswer> {
  // Spread first: every() passes over the holes of a sparse array.
  const isAnswer =
    Array.isArray(answer) &&
    [...answer].every(
      record => Array.isArray(record) && [...record].every(chunk => typeof chunk === 'string')
    )
  return isAnswer
    ? ok(answer)
    : fail('key-lookup-failed', { name, error: 'the answer is not of the form string[][]' })
}

/** `code` is the discriminator; NXDOMAIN and "no TXT here" are answers, everything else is the lack of one. */
function readError(name: string, error: unknown): Result<TxtAnswer> {
  const code = errorLabel(error)
  if (code === 'ENOTFOUND' || code === 'ENODATA') return fail('key-not-found', { name, reason: code })
  if (code === 'ETIMEOUT') return fail('key-lookup-timeout', { name, error: code })
  return fail('key-lookup-failed', { name, error: code })
}
