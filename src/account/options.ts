import { ownOptions } from '../mistakes/own-options.ts'
import { validateBaseUrl } from './url.ts'

type Fetch = typeof globalThis.fetch

/** The servers to ask, and the secret. */
export interface AccountClientOptions {
  /** The authorization server. The access token is posted to `{authUrl}/`. */
  authUrl: string
  /** The REST API, version 4 or later: `https://api.service.example/v4`. */
  baseUrl: string
  /** The long-lived secret. It is sent to `authUrl` and nowhere else. */
  accessToken: string
  /** Default: the platform's `fetch`, looked up at each call. */
  fetch?: Fetch
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: () => number
  /** Milliseconds for one exchange or one request for the identity, body included. Default: 10000. */
  timeout?: number
  /** Finds the account id in the parsed body of `/identity`, if it is not under one of the usual names. */
  selectAccountId?: (raw: unknown) => string
}

export interface AccountSettings {
  /** The URL to post to, with its trailing slash. */
  authUrl: string
  /** Without a trailing slash. */
  baseUrl: string
  accessToken: string
  fetch: Fetch
  now: () => number
  timeout: number
  selectAccountId: ((raw: unknown) => unknown) | undefined
}

const OPTION_NAMES: readonly (keyof AccountClientOptions)[] = [
  'authUrl',
  'baseUrl',
  'accessToken',
  'fetch',
  'now',
  'timeout',
  'selectAccountId'
]

/** A longer delay makes `setTimeout` fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** @throws TypeError on the first bad option. No message repeats a value: it could be the secret. */
export function validateOptions(options: AccountClientOptions): AccountSettings {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('createAccountClient needs an object with authUrl, baseUrl and accessToken')
  }
  const own = ownOptions('createAccountClient', options, OPTION_NAMES)
  const { accessToken, fetch, now, timeout = 10_000, selectAccountId } = own
  if (typeof accessToken !== 'string' || accessToken.trim() === '') {
    throw new TypeError('accessToken must be a string that is not empty')
  }
  if (/[\x00-\x1f\x7f-\x9f]/.test(accessToken)) {
    throw new TypeError(
      'accessToken must not contain control characters: trim the line end of a file it came from'
    )
  }
  if (typeof timeout !== 'number' || !(timeout > 0 && timeout <= LONGEST_TIMER)) {
    throw new TypeError(`timeout must be a positive number of milliseconds, at most ${LONGEST_TIMER}`)
  }
  for (const [name, value] of Object.entries({ fetch, now, selectAccountId })) {
    if (value !== undefined && typeof value !== 'function') throw new TypeError(`${name} must be a function`)
  }
  return {
    authUrl: `${validateBaseUrl('authUrl', own.authUrl)}/`,
    baseUrl: validateBaseUrl('baseUrl', own.baseUrl),
    accessToken,
    timeout,
    // Called without `this`: platforms refuse a foreign one, and it must not be this object, which holds the secret.
    fetch: (input, init) => (fetch ?? globalThis.fetch)(input, init),
    now: () => (now ?? Date.now)(),
    selectAccountId: selectAccountId && (raw => selectAccountId(raw))
  }
}
