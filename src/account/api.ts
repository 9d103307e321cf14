import { inOptions, withParts } from '../mistakes.ts'
import type { Fetch } from '../outgoing/fetch-once.ts'
import { AccountError, networkError, responseError } from './errors.ts'
import type { AccountSettings } from './options.ts'
import { ownProperty, parseJson, request } from './request.ts'
import type { TokenSource } from './token.ts'

/** `fetch` with the current Authorization header, and once more with a new one after a 401; `used` gets the tokens. */
type Send = (url: string, init: RequestInit, used?: string[]) => Promise<Response>

export function createSender(settings: AccountSettings, tokens: TokenSource): Send {
  return async (url, init, used) => {
    if (Object(init) !== init) throw new TypeError('init must be an object as for fetch')
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
          // Fetch section 5.4: without it a stream is refused.
          duplex: 'half'
        })
        .catch(thrown => {
          signal?.throwIfAborted()
          throw networkError('API', thrown)
        })
      if (response.status !== 401 || !isFirst) return response
      tokens.discard(token)
      if (!isReplayable) return response
      // Nobody reads it; without this its connection stays occupied.
      response.body?.cancel().catch(() => {})
    }
  }
}

/** Stops waiting when the caller gives up. The exchange goes on: others may wait for it. */
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
   * The id has the form that `accounts` of `createVerifier` takes. A number in the response becomes its decimal text.
   */
  accountId: string
  /** The parsed body of `/identity`. */
  raw: unknown
}

/** The names are tried in this order, first in the body itself, then in its `account`. */
const FIELDS = ['ID', 'id', 'account_id', 'accountId']

/** `GET {baseUrl}/identity` */
export async function fetchIdentity(settings: AccountSettings, send: Send): Promise<Identity> {
  const { accessToken, baseUrl, selectAccountId, timeout } = settings
  const secrets = [accessToken]
  const fetch: Fetch = (url, init = {}) => send(String(url), init, secrets)
  const init = { headers: { accept: 'application/json' } }
  const raw = parseJson(await request({ fetch, timeout }, 'API', `${baseUrl}/identity`, init))
  if (raw === undefined) throw responseError('API', 'the identity is not JSON')
  let accountId: string | undefined
  try {
    accountId = selectAccountId ? asId(selectAccountId(raw)) : findAccountId(raw)
  } catch {
    // The error may quote the body.
  }
  if (accountId === undefined) throw identityError(raw, secrets, selectAccountId !== undefined)
  return { accountId, raw }
}

/** The account id under one of its usual names; `undefined` when none of them holds an id. */
export const findAccountId = (raw: unknown): string | undefined =>
  [raw, ownProperty(raw, 'account')]
    .flatMap(holder => FIELDS.map(name => asId(ownProperty(holder, name))))
    .find(id => id !== undefined)

/** JSON.parse has already changed digits of larger integers: the id would be another account's. */
function asId(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

const MAX_NAMES = 40

/** Lists the field names found, so that a person can write `selectAccountId`. Never a value. */
function identityError(raw: unknown, secrets: readonly string[], isSelected: boolean): AccountError {
  // A server that echoes the request may have put a token, or a piece of one, where a name should be.
  const isSecret = (name: string) =>
    secrets.some(secret => name.includes(secret) || (name.length >= 8 && secret.includes(name)))
  const namesIn = (value: unknown) =>
    Object.keys(typeof value === 'string' ? {} : Object(value)).map(name =>
      /^[\w.$-]{1,40}$/.test(name) && !isSecret(name) ? name : '(not shown)'
    )
  const names = [...namesIn(raw), ...namesIn(ownProperty(raw, 'account')).map(name => `account.${name}`)]
  const more = names.splice(MAX_NAMES).length
  if (more > 0) names.push(`and ${more} more`)
  const [what, fix] = isSelected
    ? ['selectAccountId found no account id', ' It must return a string that is not empty.']
    : ['There is no account id under a usual name', ' Give selectAccountId to say where it is.']
  const fields = names.join(', ') || '(none)'
  const parts = [`${what} in the identity, whose fields are: ${fields}.`, { inCode: fix }]
  return withParts(new AccountError('account-identity', inOptions(parts)), parts)
}
