import { errorLabel } from '../error-label.ts'
import type { Fields } from '../headers/fields.ts'
import { fail, ok, type Result } from '../result.ts'
import type { Settings } from '../settings.ts'

/** What the prefix may stand before: visible ASCII, no comma (it would be two values in one), not endless. */
const ACCOUNT_ID = /^[\x21-\x2b\x2d-\x7e]{1,255}$/

/**
 * 5. The account header is the prefix and an account id, one of ours. A promise only when the accounts function
 * returns one.
 */
export function checkAccount(fields: Fields, settings: Settings): Result<string> | Promise<Result<string>> {
  const { accountHeader: header, accountPrefix: prefix, accepts } = settings
  const received = fields.values.get(header)
  if (received === undefined) return fail('account-missing', { header })
  if (fields.repeated.has(header)) return fail('account-repeated', { header, received })

  const id = received.slice(prefix.length)
  if (!received.startsWith(prefix) || !ACCOUNT_ID.test(id)) {
    return fail('account-malformed', { header, received, expected: `${prefix}<account id>` })
  }

  // Nothing but `true` is a yes; a function that fails has not said no.
  const judge = (accepted: unknown): Result<string> =>
    accepted === true ? ok(id) : fail('account-mismatch', { header, received: id })
  try {
    const accepted = accepts(id)
    return isPromiseLike(accepted) ? Promise.resolve(accepted).then(judge, callbackFailed) : judge(accepted)
  } catch (error) {
    return callbackFailed(error)
  }
}

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value

const callbackFailed = (error: unknown): Result<string> =>
  fail('account-check-failed', { error: errorLabel(error) })
