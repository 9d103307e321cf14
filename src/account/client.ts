import { networkError } from './errors.ts'
import { fetchIdentity, type Identity } from './identity.ts'
import { type AccountClientOptions, type AccountSettings, validateOptions } from './options.ts'
import { apiUrl } from './request.ts'
import { createTokenSource, shared, type Token, type TokenSource } from './token.ts'

/** No method uses `this`, so each can be passed on by itself. */
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
   * `init` does not control two things: an Authorization header in it is replaced, and a redirect is returned instead
   * of followed, because it could take the token to another origin. `timeout` is not applied, because a download may
   * take long: use `init.signal`.
   *
   * @param path below `baseUrl`, with or without a slash at the start
   * @throws TypeError when the path leads out of `baseUrl`, or `init` is not what fetch takes
   * @throws AccountError when there is no token or the connection fails
   * @throws whatever `init.signal` gives as its reason
   */
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  /**
   * For the verifier's option `accounts`: whether this is the id of our account. The identity is fetched at the first
   * call and kept; from then on the answer is a plain boolean. If it cannot be fetched, the promise is rejected with an
   * AccountError, which the verifier reports as `account-check-failed`, and the next call tries again.
   */
  accepts: (id: string) => boolean | Promise<boolean>
}

/**
 * A client for the service's authorization server and for its API.
 *
 * An authorization token is used until five minutes before its 24 hours end, or before its own `exp` if it is a JWT
 * that ends sooner. All waiting callers share one exchange.
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
  const settings = validateOptions(options)
  const tokens = createTokenSource(settings)
  let knownId: string | undefined
  const identity = shared(async () => {
    const found = await fetchIdentity(settings, tokens)
    knownId ??= found.accountId
    return found
  })
  const client: AccountClient = {
    authorization: async () => `Bearer ${(await tokens.get()).value}`,
    identity,
    fetch: createFetch(settings, tokens),
    accepts: id => (knownId === undefined ? identity().then(found => found.accountId === id) : id === knownId)
  }
  // The secrets are in closures, so logging the client cannot show them. This makes the log say so.
  return Object.defineProperties(client, {
    toJSON: { value: () => '[redacted]' },
    [Symbol.for('nodejs.util.inspect.custom')]: { value: () => 'AccountClient [redacted]' }
  })
}

/** `fetch` for paths below baseUrl, with the current Authorization header. */
function createFetch(settings: AccountSettings, tokens: TokenSource) {
  return async (path: string, init: RequestInit = {}): Promise<Response> => {
    const url = apiUrl(settings.baseUrl, path)
    const headers = validateInit(url, init)
    const signal = init.signal ?? undefined
    signal?.throwIfAborted()
    const replayable = isReplayable(init.body)

    const send = async (token: Token): Promise<Response> => {
      headers.set('authorization', `Bearer ${token.value}`)
      const fixed = {
        headers: Object.fromEntries(headers),
        // Not all platforms drop the Authorization header when a redirect leaves the origin (Fetch section 4.4).
        redirect: 'manual' as const,
        // Fetch section 5.4: without it a stream is refused.
        ...(replayable ? {} : { duplex: 'half' as const })
      }
      try {
        return await settings.fetch(url, { ...init, ...fixed })
      } catch (thrown) {
        signal?.throwIfAborted()
        throw networkError('API', thrown)
      }
    }

    const token = await abortable(tokens.get(), signal)
    const response = await send(token)
    if (response.status !== 401) return response
    tokens.discard(token)
    if (!replayable) return response
    // Nobody reads it; without this its connection stays occupied.
    response.body?.cancel().catch(() => {})
    return send(await abortable(tokens.get(), signal))
  }
}

/**
 * Lets the platform validate `init` before there is a token: a TypeError here is the caller's mistake, and anything
 * thrown later comes from the network. The body is replaced, because a stream would be consumed; so is the signal,
 * because the Request would hold on to it.
 */
function validateInit(url: string, init: RequestInit): Headers {
  if (typeof init !== 'object' || init === null) throw new TypeError('init must be an object as for fetch')
  const headers = new Headers(init.headers)
  const body = init.body === undefined || init.body === null ? null : ''
  new Request(url, { ...init, headers, body, signal: null })
  return headers
}

/** Whether the body can be sent a second time: a stream cannot. */
const isReplayable = (body: RequestInit['body']): boolean =>
  typeof body !== 'object' || body === null || !(Symbol.asyncIterator in body)

/** Stops waiting when the caller gives up. The exchange goes on: others may wait for it. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
