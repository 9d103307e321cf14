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
    const query = ask(lookupTxt, name, timeout)
    inFlight.set(name, query)
    query.then(() => inFlight.delete(name))
    return query
  }
}

function ask(lookupTxt: LookupTxt, name: string, timeout: number): Promise<Result<TxtAnswer>> {
  return new Promise(resolve => {
    // Made only when the look-up asks for it: a controller costs a tenth of an RSA verification.
    let controller: AbortController | undefined
    let expired = false
    const options = {
      get signal() {
        controller ??= new AbortController()
        if (expired) controller.abort()
        return controller.signal
      }
    }
    const settle = (result: Result<TxtAnswer>) => {
      clearTimeout(timer)
      resolve(result)
    }
    const timer = setTimeout(() => {
      expired = true
      settle(fail('key-lookup-timeout', { name, error: `no answer within ${timeout} ms` }))
      controller?.abort()
    }, timeout)

    try {
      Promise.resolve(lookupTxt(name, options)).then(
        answer => settle(readAnswer(name, answer)),
        error => settle(readError(name, error))
      )
    } catch (error) {
      settle(readError(name, error))
    }
  })
}

function readAnswer(name: string, answer: TxtAnswer): Result<TxtAnswer> {
  const isAnswer =
    Array.isArray(answer) &&
    answer.every(record => Array.isArray(record) && record.every(chunk => typeof chunk === 'string'))
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
