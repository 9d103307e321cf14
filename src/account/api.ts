import { mistake } from '../core/mistakes.ts'
import type { Fetch } from '../outgoing/fetch-once.ts'
import { findAccountId, identityError, parseAccountId } from './account-id.ts'
import { networkError, responseError } from './errors.ts'
import type { AccountSettings } from './options.ts'
import { parseJson, request } from './request.ts'
import type { TokenSource } from './token.ts'

/** `fetch` with the current Authorization header, and once more with a new one after a 401; `used` gets the tokens. */
type Send = (url: string, init: RequestInit, used?: string[]) => Promise<Response>

export function createSender(settings: AccountSettings, tokens: TokenSource): Send {
  return async (url, init, used) => {
    if (Object(init) !== init) throw mistake('init is', init, 'pass an object as for fetch, such as { method: "POST" }')
    // Lets the platform validate `init` before there is a token: a TypeError here is the caller's mistake, and anything
    // thrown later comes from the network. The body is replaced, because a stream would be consumed; so is the signal,
    // because the Request would hold on to it.
    const headers = new Headers(init.headers)
    new Request(url, { ...init, headers, body: (init.body ?? null) && '', signal: null })
    const signal = init.signal ?? undefined
    signal?.throwIfAborted()
    // A stream cannot be sent a second time.
    const isReplayable = !(Symbol.asyncIterator in Object(init.body))

    for (let isFirst = true; ; isFirst = false) {
      const token = await abortable(tokens.get(), signal)
      used?.push(token.value)
      headers.set('authorization', `Bearer ${token.value}`)
      const response = await settings
        .fetch(url, {
          ...init,
          headers: Object.fromEntries(headers),
          // Not all platforms drop the Authorization header when a redirect leaves the origin (Fetch section 4.4).
          redirect: 'manual',
          ...STREAMS
        })
        .catch(thrown => {
          signal?.throwIfAborted()
          throw networkError('API', thrown)
        })
      if (response.status !== 401 || !isFirst) return response
      tokens.discard(token)
      if (!isReplayable) return response
      // Nobody reads this body; without `cancel` its connection stays occupied.
      response.body?.cancel().catch(() => {})
    }
  }
}

/** Lets `fetch` take a stream as the body (Fetch section 5.4). */
const STREAMS = { duplex: 'half' } as const

/** Stops waiting when the caller gives up. The exchange goes on, because other callers may wait for it. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal?.removeEventListener('abort', abort))
  })
}

/** The account that the access token belongs to. */
export interface Identity {
  /**
   * The id in the form that `accounts` of `createVerifier` takes: without white space at its ends, and without the
   * prefix `account-`. A number in the response becomes its decimal text.
   */
  accountId: string
  /** The parsed body of `/identity`. */
  raw: unknown
}

/** Fetches `GET {baseUrl}/identity`, and finds the account id in it. */
export async function fetchIdentity(settings: AccountSettings, send: Send): Promise<Identity> {
  const { accessToken, baseUrl, selectAccountId, timeout } = settings
  const secrets = [accessToken]
  const fetch: Fetch = (url, init = {}) => send(String(url), init, secrets)
  const init = { headers: { accept: 'application/json' } }
  const raw = parseJson(await request({ fetch, timeout }, 'API', `${baseUrl}/identity`, init))
  if (raw === undefined) throw responseError('API', 'the identity is not JSON')
  let accountId: string | undefined
  try {
    accountId = selectAccountId ? parseAccountId(selectAccountId(raw)) : findAccountId(raw)
  } catch {
    // The error may quote the body.
  }
  // An echo of a token is not an id, and ids are printed. A shorter secret could occur in any id by chance.
  const isEcho = secrets.some(secret => accountId === secret || (secret.length >= 8 && accountId?.includes(secret)))
  if (accountId === undefined || isEcho) throw identityError(raw, selectAccountId !== undefined)
  return { accountId, raw }
}
