import { networkError } from './errors.ts'
import type { AccountSettings } from './options.ts'
import type { TokenSource } from './token.ts'

/** `fetch` with the current Authorization header, and once more with a new one after a 401; `used` gets the tokens. */
export type Send = (url: string, init: RequestInit, used?: string[]) => Promise<Response>

export function createSender(settings: AccountSettings, tokens: TokenSource): Send {
  return async (url, init, used) => {
    const headers = validateInit(url, init)
    const signal = init.signal ?? undefined
    signal?.throwIfAborted()
    const replayable = isReplayable(init.body)
    // Fetch section 5.4: without it a stream is refused.
    const duplex = replayable ? {} : { duplex: 'half' as const }

    for (let isFirst = true; ; isFirst = false) {
      const token = await abortable(tokens.get(), signal)
      used?.push(token.value)
      headers.set('authorization', `Bearer ${token.value}`)
      // Not all platforms drop the Authorization header when a redirect leaves the origin (Fetch section 4.4).
      const fixed = { headers: Object.fromEntries(headers), redirect: 'manual' as const, ...duplex }
      const response = await settings.fetch(url, { ...init, ...fixed }).catch(thrown => {
        signal?.throwIfAborted()
        throw networkError('API', thrown)
      })
      if (response.status !== 401 || !isFirst) return response
      tokens.discard(token)
      if (!replayable) return response
      // Nobody reads it; without this its connection stays occupied.
      response.body?.cancel().catch(() => {})
    }
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
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal?.removeEventListener('abort', abort))
  })
}
