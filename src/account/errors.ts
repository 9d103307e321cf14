/** What went wrong, by a stable name. */
export type AccountErrorCode =
  | 'account-token-rejected'
  | 'account-server-error'
  | 'account-timeout'
  | 'account-network'
  | 'account-response'
  | 'account-identity'

/**
 * What went wrong between this program and the service's servers.
 *
 * It holds constants, numbers and (for `account-identity`) field names only: never a token, never text
 * from a response, never the error that `fetch` threw, because each of these could carry a secret.
 */
export class AccountError extends Error {
  static {
    // On the prototype, so that the first line of `stack` has it too.
    AccountError.prototype.name = 'AccountError'
  }

  readonly code: AccountErrorCode
  /** The same call may succeed later without a change on this side. */
  readonly retryable: boolean
  /** The HTTP status, when a server answered with one that explains the error. */
  declare readonly status?: number

  constructor(code: AccountErrorCode, message: string, retryable: boolean, status?: number) {
    super(message)
    this.code = code
    this.retryable = retryable
    if (status !== undefined) this.status = status
  }
}

/** Which server was asked, as messages name it. */
export type Server = 'authorization server' | 'API'

/** "Not now" statuses: RFC 9110 section 15.5.9, RFC 8470 section 5.2, RFC 6585 section 4. */
const LATER = [408, 425, 429]

/** Nothing is at the URL, or it does not accept POST: the URL is wrong, whatever the token (RFC 9110 section 15.5). */
const WRONG_URL = [404, 405, 410]

/** The error for a status that is not 2xx. */
export function statusError(server: Server, status: number): AccountError {
  if (status >= 500) {
    return new AccountError('account-server-error', `The ${server} failed (HTTP ${status}).`, true, status)
  }
  if (status >= 400) {
    const option = server === 'API' ? 'baseUrl' : 'authUrl'
    // From the API, only these two are about the token.
    const aboutToken = server === 'API' ? status === 401 || status === 403 : !WRONG_URL.includes(status)
    const code = aboutToken ? 'account-token-rejected' : 'account-response'
    const message = WRONG_URL.includes(status)
      ? `The ${server} has nothing at this URL that answers the request (HTTP ${status}): is ${option} right?`
      : server === 'authorization server'
        ? `The authorization server refused the access token (HTTP ${status}).`
        : `The API refused the request for the identity (HTTP ${status}).`
    return new AccountError(code, message, LATER.includes(status), status)
  }
  // A redirect that the platform hides has status 0 (Fetch, "opaque-redirect filtered response").
  const shown = status === 0 ? undefined : status
  return new AccountError(
    'account-response',
    `The ${server} answered with a redirect or another status that is not a success${shown ? ` (HTTP ${shown})` : ''}. ` +
      'Redirects are not followed, because they would take the token along: give the final URL.',
    false,
    shown
  )
}

export function responseError(server: Server, what: string): AccountError {
  return new AccountError('account-response', `The ${server}'s response cannot be used: ${what}.`, false)
}

export function timeoutError(server: Server, timeout: number): AccountError {
  return new AccountError('account-timeout', `The ${server} did not answer within ${timeout} ms.`, true)
}

/** `thrown` is what `fetch` threw: it can be anything. Only a known code is taken from it. */
export function networkError(server: Server, thrown: unknown): AccountError {
  const code = knownCode(thrown)
  const message = `The connection to the ${server} failed${code === undefined ? '' : ` (${code})`}.`
  return new AccountError('account-network', message, true)
}

/** A list instead of a pattern: a string from this list cannot be a token. */
const KNOWN_CODES = new Set(
  (
    'ECONNREFUSED ECONNRESET ECONNABORTED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENETDOWN ETIMEDOUT EPIPE EPROTO ' +
    'EACCES EPERM EADDRNOTAVAIL EMFILE UND_ERR_SOCKET UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT ' +
    'UND_ERR_BODY_TIMEOUT UND_ERR_HEADERS_OVERFLOW CERT_HAS_EXPIRED CERT_NOT_YET_VALID CERT_REVOKED CERT_UNTRUSTED ' +
    'DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE ' +
    'UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY ERR_TLS_CERT_ALTNAME_INVALID ' +
    'ERR_SSL_WRONG_VERSION_NUMBER ConnectionRefused ConnectionClosed FailedToOpenSocket'
  ).split(' ')
)

function knownCode(thrown: unknown): string | undefined {
  let error = thrown
  try {
    // fetch wraps the socket's error: a TypeError, its cause, and at most one more cause.
    for (let depth = 0; depth < 3 && typeof error === 'object' && error !== null; depth++) {
      const { code, cause } = error as { code?: unknown; cause?: unknown }
      if (typeof code === 'string' && KNOWN_CODES.has(code)) return code
      error = cause
    }
  } catch {
    // A getter threw: the error says nothing usable.
  }
  return undefined
}
