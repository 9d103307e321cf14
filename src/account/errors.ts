import { inOptions, named, type Part, withParts } from '../core/mistakes.ts'

/** A stable name for each way in which a call can fail. */
export type AccountErrorCode =
  | 'account-token-rejected'
  | 'account-server-error'
  | 'account-timeout'
  | 'account-network'
  | 'account-response'
  | 'account-identity'

/**
 * A failure between this program and the service's servers.
 *
 * It holds constants, numbers and the code of a system error only: never a token, never text from a response, never the
 * error that `fetch` threw, because each of these could carry a secret.
 */
export class AccountError extends Error {
  readonly code: AccountErrorCode
  /** The same call may succeed later without a change on this side. */
  readonly retryable: boolean
  /** The HTTP status, when a server answered with one that explains the error. */
  declare readonly status?: number

  constructor(code: AccountErrorCode, message: string, retryable = false, status?: number) {
    super(message)
    this.code = code
    this.retryable = retryable
    if (status !== undefined) this.status = status
  }
}

// The name is on the prototype, so that the first line of `stack` has it; and outside, because bundlers rename a class
// that names itself.
AccountError.prototype.name = 'AccountError'

/** The server that was asked, as messages name it. */
export type Server = 'authorization server' | 'API'

/** Statuses that mean "not now": RFC 9110 section 15.5.9, RFC 8470 section 5.2, RFC 6585 section 4. */
const LATER = [408, 425, 429]

/** Nothing is at the URL, or it does not accept POST: the URL is wrong, whatever the token (RFC 9110 section 15.5). */
const WRONG_URL = [404, 405, 410]

/** Makes the error for a status that is not 2xx. */
export function statusError(server: Server, status: number): AccountError {
  const [option, isAboutToken] =
    server === 'API'
      ? [named('baseUrl'), status === 401 || status === 403]
      : [named('authUrl'), status >= 400 && !WRONG_URL.includes(status)]
  if (status >= 500)
    return new AccountError('account-server-error', `The ${server} failed (HTTP ${status}).`, true, status)
  const code = isAboutToken ? 'account-token-rejected' : 'account-response'
  const what: readonly Part[] = LATER.includes(status)
    ? ['does not answer this call now: try again later']
    : isAboutToken
      ? ['refused the token']
      : ['has nothing at this URL that answers the request, or redirects: is ', option, ' right?']
  const parts: readonly Part[] = [`The ${server} `, ...what, ` (HTTP ${status}).`]
  return withParts(new AccountError(code, inOptions(parts), LATER.includes(status), status), parts)
}

export const responseError = (server: Server, what: string): AccountError =>
  new AccountError('account-response', `The ${server}'s response cannot be used: ${what}.`)

/**
 * Makes the error for `thrown`, the value that `fetch` threw, which can be anything. Takes only a code from it, in
 * letters that no token has.
 */
export function networkError(server: Server, thrown: unknown): AccountError {
  let code: unknown
  try {
    code = (thrown as { cause?: { code?: unknown } }).cause?.code
  } catch {
    // Nothing was thrown, or a getter threw: the error says nothing usable.
  }
  const shown = typeof code === 'string' && /^[A-Z_]{4,40}$/.test(code) ? ` (${code})` : ''
  return new AccountError('account-network', `The connection to the ${server} failed${shown}.`, true)
}
