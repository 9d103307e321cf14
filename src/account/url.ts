import { isLoopback } from '../options/hosts.ts'

/**
 * The URL without its trailing slashes, ready to have `/…` appended.
 *
 * @throws TypeError for anything a token must not be sent to. The message never repeats the URL.
 */
export function validateBaseUrl(name: string, value: unknown): string {
  if (typeof value !== 'string') {
    throw new TypeError(`${name} must be a string such as https://service.example/v4`)
  }
  const url = parse(value)
  // URL() would quietly drop white space and control characters, and an empty query or fragment.
  if (url === undefined || /[\x00-\x20\x7f\\]/.test(value)) {
    throw new TypeError(`${name} must be an absolute URL such as https://service.example/v4`)
  }
  if (/[?#]/.test(value)) {
    throw new TypeError(`${name} must not have a query or a fragment: give scheme, host and path`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`${name} must not contain a user name or password: the token is given as accessToken`)
  }
  // RFC 6750 section 5.3: bearer tokens go over TLS.
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new TypeError(`${name} must be an https URL: http is for localhost, 127.0.0.0/8 and [::1] only`)
  }
  let end = url.pathname.length
  while (url.pathname[end - 1] === '/') end--
  return url.origin + url.pathname.slice(0, end)
}

/**
 * `path` below `base`, on the same origin.
 *
 * @throws TypeError when the path would lead anywhere else.
 */
export function apiUrl(base: string, path: unknown): string {
  if (typeof path !== 'string') throw new TypeError('path must be a string below baseUrl, such as /identity')
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) || /^[/\\]{2}/.test(path)) {
    throw new TypeError(
      'path must be a path below baseUrl, such as /identity: the token is not sent to other URLs'
    )
  }
  const url = new URL(`${base}/${path.startsWith('/') ? path.slice(1) : path}`)
  // URL() has resolved `..`, `%2e%2e` and `\`. Some servers decode `%2f`, or cut at `;`, before they resolve.
  const decoded = url.pathname.replace(/%2e/gi, '.').replace(/%2f|%5c/gi, '/')
  if (!url.href.startsWith(`${base}/`) || /\/\.\.(?:[/;]|$)/.test(decoded)) {
    throw new TypeError('path must not lead above baseUrl: leave out ".." segments')
  }
  url.hash = ''
  return url.href
}

function parse(value: string): URL | undefined {
  try {
    return new URL(value)
  } catch {
    return undefined
  }
}
