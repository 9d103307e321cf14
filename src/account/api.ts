import type { Fetch } from '../http/fetch.ts'
import { AccountError, networkError, responseError } from './errors.ts'
import type { AccountSettings } from './options.ts'
import { own, parseJson, request } from './request.ts'
import type { TokenSource } from './token.ts'

/** `fetch` with the current Authorization header, and once more with a new one after a 401; `used` gets the tokens. */
type Send = (url: string, init: RequestInit, used?: string[]) => Promise<Response>

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

/** The account that the access token belongs to. */
export interface Identity {
  /** In the form that `accounts` of `createVerifier` takes. A number in the response becomes its decimal text. */
  accountId: string
  /** The parsed body of `/identity`. */
  raw: unknown
}

/** In this order, first in the body itself, then in its `account`. */
const FIELDS = ['ID', 'id', 'account_id', 'accountId']

/** `GET {baseUrl}/identity` */
export async function fetchIdentity(settings: AccountSettings, send: Send): Promise<Identity> {
  const { accessToken, baseUrl, selectAccountId, timeout } = settings
  const secrets = [accessToken]
  const fetch: Fetch = (url, init = {}) => send(String(url), init, secrets)
  const init = { headers: { accept: 'application/json' } }
  const raw = parseJson(await request({ fetch, timeout }, 'API', `${baseUrl}/identity`, init))
  if (raw === undefined) throw responseError('API', 'the identity is not JSON')
  const accountId = selectAccountId ? select(selectAccountId, raw) : findAccountId(raw)
  if (accountId === undefined) throw identityError(raw, secrets, selectAccountId !== undefined)
  return { accountId, raw }
}

/** The account id under one of its usual names; `undefined` when none of them holds an id. */
export const findAccountId = (raw: unknown): string | undefined =>
  [raw, own(raw, 'account')]
    .flatMap(holder => FIELDS.map(name => asId(own(holder, name))))
    .find(id => id !== undefined)

/** JSON.parse has already changed digits of larger integers: the id would be another account's. */
function asId(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function select(selectAccountId: (raw: unknown) => unknown, raw: unknown): string | undefined {
  try {
    return asId(selectAccountId(raw))
  } catch {
    // The error may quote the body.
    return undefined
  }
}

const MAX_NAMES = 40

/** Lists the field names found, so that a person can write `selectAccountId`. Never a value. */
function identityError(raw: unknown, secrets: readonly string[], selected: boolean): AccountError {
  const inner = namesIn(own(raw, 'account'), secrets)
  const names = [...namesIn(raw, secrets), ...inner.map(name => `account.${name}`)]
  const more = names.length - MAX_NAMES
  const shown = names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? `, and ${more} more` : '')
  const what = selected ? 'selectAccountId found no account id' : 'There is no account id under a usual name'
  const then = selected
    ? 'It must return a string that is not empty.'
    : 'Give selectAccountId to say where it is.'
  const message = `${what} in the identity, whose fields are: ${shown || '(none)'}. ${then}`
  return new AccountError('account-identity', message)
}

/** A server that echoes the request may have put a token, or a piece of one, where a name should be. */
function namesIn(value: unknown, secrets: readonly string[]): string[] {
  const isSecret = (name: string) =>
    secrets.some(secret => name.includes(secret) || (name.length >= 8 && secret.includes(name)))
  const names = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  return names.map(name => (/^[\w.$-]{1,40}$/.test(name) && !isSecret(name) ? name : '(not shown)'))
}
