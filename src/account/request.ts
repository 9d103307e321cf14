import { mistake } from '../core/mistakes.ts'
import { type Fetch, fetchOnce } from '../outgoing/fetch-once.ts'
import { AccountError, networkError, responseError, type Server, statusError } from './errors.ts'

/** Far more than a token or an identity needs, and still little memory. */
const MAX_BYTES = 65_536

/**
 * Sends one request and reads the whole response. One deadline covers head and body.
 *
 * @returns the text of a 2xx response
 * @throws AccountError for everything else
 */
export async function request(
  { fetch, timeout }: { fetch: Fetch; timeout: number },
  server: Server,
  url: string,
  init: RequestInit
): Promise<string> {
  const fetched = await fetchOnce(fetch, url, init, { timeout, maxBytes: MAX_BYTES }).catch(thrown => {
    throw thrown instanceof AccountError ? thrown : networkError(server, thrown)
  })
  if (fetched === undefined)
    throw new AccountError('account-timeout', `The ${server} did not answer within ${timeout} ms.`, true)
  const { response, bytes } = fetched
  if (!response.ok) throw statusError(server, response.status)
  if (bytes === undefined) throw responseError(server, `it is larger than ${MAX_BYTES} bytes`)
  if (!/^(?:text|application)\//i.test(response.headers.get('content-type') ?? 'text/plain'))
    throw responseError(server, 'its content type is neither text nor JSON')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw responseError(server, 'it is not UTF-8')
  }
}

/** Returns the value, or `undefined` when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns an own property: names from outside must not find `Object.prototype`. */
export function ownProperty(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

/**
 * Appends `path` to `base`, on the same origin.
 *
 * @throws TypeError when the path would lead anywhere else.
 */
export function apiUrl(base: string, path: unknown): string {
  if (typeof path !== 'string' || /^(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(path))
    throw mistake(
      'path is',
      path,
      'pass a path below baseUrl, such as "/identity": the token is not sent to other URLs'
    )
  const url = new URL(`${base}/${path.startsWith('/') ? path.slice(1) : path}`)
  // URL() has resolved `..`, `%2e%2e` and `\`. Some servers decode `%2f`, or cut at `;`, before they resolve.
  const decoded = url.pathname.replace(/%2e/gi, '.').replace(/%2f|%5c/gi, '/')
  if (!url.href.startsWith(`${base}/`) || /\/\.\.(?:[/;]|$)/.test(decoded))
    throw mistake('path is', path, 'leave out ".." segments', () => 'a path that leads above baseUrl')
  url.hash = ''
  return url.href
}
