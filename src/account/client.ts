import { shareCalls } from '../core/promises.ts'
import { createSender, fetchIdentity, type Identity } from './api.ts'
import { type AccountClientOptions, validateOptions } from './options.ts'
import { apiUrl } from './request.ts'
import { createTokenSource } from './token.ts'

/** Calls the service's API. No method uses `this`, so you may pass each on by itself. */
export interface AccountClient {
  /**
   * The value of an Authorization header: `Bearer <token>`. For REST calls (version 4 and later) and SOAP calls alike.
   *
   * @throws AccountError when there is no valid token and the exchange fails. The next call tries again.
   */
  authorization: () => Promise<string>
  /**
   * Asks the API which account the access token belongs to: `GET {baseUrl}/identity`, on every call. Concurrent calls
   * share one answer.
   *
   * @throws AccountError
   */
  identity: () => Promise<Identity>
  /**
   * `fetch` with the Authorization header set, repeated with a new token after a 401. If the second answer is a 401
   * too, it is returned. A body that is a stream cannot be sent twice: then the first 401 is returned.
   *
   * An Authorization header in `init` is replaced. A redirect is returned instead of followed, because it could take
   * the token to another origin. `timeout` does not apply, because a download may take long: use `init.signal`.
   *
   * @param path below `baseUrl`, with or without a slash at the start
   * @throws TypeError when the path leads out of `baseUrl`, or `init` is not what fetch takes
   * @throws AccountError when there is no token or the connection fails
   * @throws whatever `init.signal` gives as its reason
   */
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  /**
   * Returns whether this is your account id; pass it as the verifier's option `accounts`. The first call fetches the
   * identity; after that the result is a plain boolean. If it cannot be fetched, the promise rejects with an
   * AccountError, which the verifier reports as `account-check-failed`, and the next call tries again.
   */
  accepts: (id: string) => boolean | Promise<boolean>
}

/**
 * Creates a client for the service's authorization server and for its API.
 *
 * An authorization token is used until five minutes before its 24 hours end, or before its own `exp` if it is a JWT
 * that ends sooner; of a token that lives less than 50 minutes, the last tenth is not used. All waiting callers share
 * one exchange.
 *
 * @example
 * const account = createAccountClient({
 *   authUrl: 'https://auth.service.example',
 *   baseUrl: 'https://api.service.example/v4',
 *   accessToken: process.env['ACCESS_TOKEN'] ?? ''
 * })
 * const { accountId } = await account.identity()
 *
 * @throws TypeError on a bad option, at once
 */
export function createAccountClient(options: AccountClientOptions): AccountClient {
  const settings = validateOptions(options, createAccountClient)
  const tokens = createTokenSource(settings)
  const send = createSender(settings, tokens)
  let knownId: string | undefined
  const identity = shareCalls(async () => {
    // The exchange has a deadline of its own.
    await tokens.get()
    const found = await fetchIdentity(settings, send)
    knownId ??= found.accountId
    return found
  })
  const client: AccountClient = {
    authorization: async () => `Bearer ${(await tokens.get()).value}`,
    identity,
    fetch: async (path, init = {}) => send(apiUrl(settings.baseUrl, path), init),
    accepts: id => (knownId === undefined ? identity().then(found => found.accountId === id) : id === knownId)
  }
  // The secrets are in closures, so logging the client cannot show them. This makes the log say so.
  return Object.defineProperties(client, {
    toJSON: { value: () => '[redacted]' },
    [Symbol.for('nodejs.util.inspect.custom')]: { value: () => 'AccountClient [redacted]' }
  })
}
