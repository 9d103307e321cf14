import { ownOptions } from '../core/mistakes.ts'
import { validateTimeout } from '../core/options/values.ts'
import { type Fetch, validateServerUrl } from '../outgoing/fetch-once.ts'

/** The servers to ask, and the secret. */
export interface AccountClientOptions {
  /** The authorization server. The access token is posted to `{authUrl}/`. */
  authUrl: string
  /** The REST API, version 4 or later: `https://api.service.example/v4`. */
  baseUrl: string
  /** The long-lived secret. It is sent to `authUrl` and nowhere else. */
  accessToken: string
  /** Default: the platform's `fetch`, looked up at each call. */
  fetch?: Fetch | undefined
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: (() => number) | undefined
  /** Milliseconds for one exchange or one request for the identity, body included. Default: 10000. */
  timeout?: number | undefined
  /** Finds the account id in the parsed body of `/identity`, if it is not under a usual name. */
  selectAccountId?: ((raw: unknown) => string) | undefined
}

/** The URL to post to ends with a slash, the one to append paths to does not. */
export type AccountSettings = Readonly<ReturnType<typeof validateOptions>>

const OPTIONS = ['authUrl', 'baseUrl', 'accessToken', 'fetch', 'now', 'timeout', 'selectAccountId'] as const

/**
 * Validates the options.
 * @throws TypeError on the first bad option. No message repeats a value: it could be the secret.
 */
export function validateOptions(options: AccountClientOptions) {
  const own = ownOptions('createAccountClient', options, OPTIONS)
  const { accessToken, fetch, now, selectAccountId } = own
  if (typeof accessToken !== 'string' || accessToken.trim() === '')
    throw new TypeError('accessToken must be a string that is not empty')
  if (/[\x00-\x1f\x7f-\x9f]/.test(accessToken))
    throw new TypeError('accessToken must not contain control characters: trim the line end of a file it came from')
  for (const [name, value] of Object.entries({ fetch, now, selectAccountId })) {
    if (value !== undefined && typeof value !== 'function') throw new TypeError(`${name} must be a function`)
  }
  return {
    authUrl: `${validateBaseUrl('authUrl', own.authUrl)}/`,
    baseUrl: validateBaseUrl('baseUrl', own.baseUrl),
    accessToken,
    timeout: validateTimeout(own.timeout, 10_000, 'timeout'),
    // Calls it without `this`: platforms refuse another `this`, and this object would hand over the secret.
    fetch: async (...request: Parameters<Fetch>) => (fetch ?? globalThis.fetch)(...request),
    now: () => (now ?? Date.now)(),
    selectAccountId
  }
}

/**
 * Returns the URL without its trailing slashes, ready to have `/…` appended.
 *
 * @throws TypeError for anything a token must not be sent to. The message never repeats the URL.
 */
function validateBaseUrl(option: string, given: unknown): string {
  const url = validateServerUrl(given, option, 'https://service.example/v4')
  // URL() quietly drops white space and control characters, and an empty query or fragment.
  if (/[\x00-\x20\x7f\\?#]/.test(String(given)))
    throw new TypeError(`${option} must have no white space, query or fragment: give scheme, host and path`)
  return url.origin + url.pathname.replace(/(?<!\/)\/+$/, '')
}
