import { createFetch } from './fetch.ts'
import { fetchIdentity, type Identity } from './identity.ts'
import { type AccountClientOptions, parseOptions } from './options.ts'
import { createTokenSource } from './token-source.ts'

/** Every member can be taken off the object and passed on: none uses `this`. */
export interface AccountClient {
  /**
   * The value of an Authorization header: `Bearer <token>`. For REST calls (version 4 and later) and SOAP calls alike.
   *
   * @throws AccountError when there is no valid token and the exchange fails. The next call tries again.
   */
  authorization: () => Promise<string>
  /**
   * Asks the API whose access token this is: `GET {baseUrl}/identity`, at every call. Calls at the same moment share
   * one answer.
   *
   * @throws AccountError
   */
  identity: () => Promise<Identity>
  /**
   * `fetch` with the Authorization header set, and once more with a new token after a 401. If the second answer is a
   * 401 too, it is returned. A body that is a stream cannot be sent twice: then the first 401 is returned.
   *
   * Two things are not left to `init`: an Authorization header is replaced, and a redirect is never followed but
   * returned as the answer, because it could take the token to another origin. `timeout` is not applied, because a
   * download may take long: use `init.signal`.
   *
   * @param path below `baseUrl`, with or without a slash at the start
   * @throws TypeError when the path leads out of `baseUrl`, or `init` is not what fetch takes
   * @throws AccountError when no token can be had or the connection fails
   * @throws whatever `init.signal` gives as its reason
   */
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  /**
   * For the verifier's option `accounts`: is this the id of our account? The identity is fetched at the first call and
   * kept; from then on the answer is a plain boolean. While it cannot be fetched the promise is rejected with an
   * AccountError, which the verifier reports as `account-check-failed`, and the next call tries again.
   */
  accepts: (id: string) => boolean | Promise<boolean>
}

/**
 * A client for the service's authorization server and for its API.
 *
 * An authorization token is used until five minutes before its 24 hours end, or before its own `exp` if it is a JWT
 * that ends sooner. However many callers wait, one exchange is under way.
 *
 * @throws TypeError on a bad option, at once
 */
export function createAccountClient(options: AccountClientOptions): AccountClient {
  const settings = parseOptions(options)
  const tokens = createTokenSource(settings)
  let knownId: string | undefined
  let pending: Promise<Identity> | undefined

  const look = async (): Promise<Identity> => {
    try {
      const identity = await fetchIdentity(settings, tokens)
      knownId ??= identity.accountId
      return identity
    } finally {
      pending = undefined
    }
  }
  const identity = (): Promise<Identity> => {
    pending ??= look()
    return pending
  }

  const client: AccountClient = {
    authorization: async () => `Bearer ${(await tokens.get()).value}`,
    identity,
    fetch: createFetch(settings, tokens),
    accepts: id => (knownId === undefined ? identity().then(found => found.accountId === id) : id === knownId)
  }
  // The secrets are in closures, out of reach. This says so to whoever logs the client.
  return Object.defineProperties(client, {
    toJSON: { value: () => '[redacted]' },
    [Symbol.for('nodejs.util.inspect.custom')]: { value: () => 'AccountClient [redacted]' }
  })
}
