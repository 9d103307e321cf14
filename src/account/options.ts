import { kindOfSetting, mistake, named, validateCall } from '../core/mistakes.ts'
import { validateOptionalFunction, validateTimeout } from '../core/options/values.ts'
import { type Fetch, validateServerUrl } from '../outgoing/fetch-once.ts'

/** Options of `createAccountClient`. */
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
 *
 * @param entry the public function that was called
 * @throws TypeError with a line for each bad option. No message repeats a value: it could be the secret.
 */
export function validateOptions(options: AccountClientOptions, entry: (options: AccountClientOptions) => unknown) {
  const [authUrl, baseUrl, accessToken, timeout, { fetch, now, selectAccountId }] = validateCall(
    entry,
    'createAccountClient',
    options,
    OPTIONS,
    own => [
      () => validateBaseUrl('authUrl', own.authUrl),
      () => validateBaseUrl('baseUrl', own.baseUrl),
      () => validateAccessToken(own.accessToken),
      () => validateTimeout(own.timeout, 10_000, 'timeout'),
      () => own,
      () => validateOptionalFunction(own.fetch, 'fetch', '(url, init) => Promise<Response>'),
      () => validateOptionalFunction(own.now, 'now', '() => milliseconds since 1970'),
      () => validateOptionalFunction(own.selectAccountId, 'selectAccountId', '(body) => account id')
    ]
  )
  return {
    authUrl: `${authUrl}/`,
    baseUrl,
    accessToken,
    timeout,
    // Calls it without `this`: platforms refuse another `this`, and this object would hand over the secret.
    fetch: async (...request: Parameters<Fetch>) => (fetch ?? globalThis.fetch)(...request),
    now: () => (now ?? Date.now)(),
    selectAccountId
  }
}

function validateAccessToken(token: unknown): string {
  const rule = 'pass the access token, a string that is not empty'
  if (typeof token !== 'string' || token.trim() === '') throw mistake('accessToken is', token, rule, kindOfSetting)
  if (!/[\x00-\x1f\x7f-\x9f]/.test(token)) return token
  const received = () => 'a string with control characters'
  throw mistake('accessToken is', token, 'trim the line end of the file it came from', received)
}

/**
 * Returns the URL without its trailing slashes, ready to have `/…` appended.
 *
 * @throws TypeError for anything a token must not be sent to. The message never repeats the URL.
 */
function validateBaseUrl(option: string, value: unknown): string {
  const url = validateServerUrl(value, option, 'https://service.example/v4')
  // URL() quietly drops white space and control characters, and an empty query or fragment.
  if (/[\x00-\x20\x7f\\?#]/.test(String(value)))
    throw mistake(
      [named(option), ' is'],
      value,
      'give scheme, host and path alone',
      () => 'a URL with white space, a query or a fragment'
    )
  return url.origin + url.pathname.replace(/(?<!\/)\/+$/, '')
}
