import { normalizeName } from '../core/http/uri.ts'
import type { LookupTxt } from '../core/key/types.ts'
import { mistake, named, validateCall } from '../core/mistakes.ts'
import { validateBoolean, validateOptionalFunction, validateTimeout } from '../core/options/values.ts'
import { type Fetch, type Fetched, fetchOnce, validateServerUrl } from '../outgoing/fetch-once.ts'
import { badReply, dohError, encodeQuery, MAX_OCTETS, parseReply } from './message.ts'

/** The resolver to ask, and how to ask it. */
export interface DohTxtLookupOptions {
  /** the resolver's URL, such as `https://dns.example/dns-query`; http for a loopback address only */
  url: string | URL
  /** the method of the query: `POST` by default; `GET` for a resolver that supports nothing else */
  method?: 'POST' | 'GET' | undefined
  /** sends the query; the platform's `fetch` by default, looked up at each call */
  fetch?: Fetch | undefined
  /** milliseconds for request and response together, 5000 by default */
  timeout?: number | undefined
  /** whether to reject replies without the AD bit, which says that the resolver validated them; false by default */
  requireAuthenticated?: boolean | undefined
}

const OPTIONS = ['url', 'method', 'fetch', 'timeout', 'requireAuthenticated'] as const

/**
 * Makes a lookup by DNS over HTTPS (RFC 8484), for `lookupTxt` of `createVerifier`. It caches no replies. The result
 * and the error codes are those of `resolveTxt` of `node:dns`: NXDOMAIN is `ENOTFOUND`, no TXT records `ENODATA`;
 * `requireAuthenticated` adds `ENOTAUTHENTICATED`.
 *
 * The reply is as good as the resolver and the HTTPS connection to it. The AD bit says that the resolver validated the
 * reply by DNSSEC; nothing is validated here.
 *
 * @example
 * const lookupTxt = dohTxtLookup({ url: 'https://dns.example/dns-query', requireAuthenticated: true })
 * const verify = createVerifier({ ...options, lookupTxt })
 *
 * @throws TypeError for a bad option, without the URL, which may contain a credential for the resolver
 */
export function dohTxtLookup(options: DohTxtLookupOptions): LookupTxt {
  const [url, method, chosenFetch, timeout, requireAuthenticated] = validateCall(
    dohTxtLookup,
    'dohTxtLookup',
    options,
    OPTIONS,
    ({ method = 'POST', requireAuthenticated = false, ...own }) => [
      () => validateResolverUrl(own.url),
      () => validateMethod(method),
      () => validateOptionalFunction(own.fetch, 'fetch', '(url, init) => Promise<Response>'),
      () => validateTimeout(own.timeout, 5000, 'timeout'),
      () => validateBoolean(requireAuthenticated, 'requireAuthenticated')
    ]
  )

  const lookup: LookupTxt = async (name, waiting) => {
    const normalized = typeof name === 'string' ? normalizeName(name) : undefined
    if (normalized === undefined) throw dohError('EBADNAME', 'the name is not one that DNS is asked for')
    const request = requestFor(url, method, encodeQuery(normalized))
    const limits = { timeout, maxBytes: MAX_OCTETS, signal: waiting?.signal }
    const fetched = await fetchOnce(chosenFetch ?? globalThis.fetch, ...request, limits).catch((error: unknown) => {
      throw limits.signal?.aborted
        ? dohError('ECANCELLED', 'the lookup was cancelled')
        : // Its code is about the resolver's own name: ENOTFOUND there says nothing about the key.
          dohError('ECONNREFUSED', 'the DNS server could not be reached', error)
    })
    if (fetched === undefined) throw dohError('ETIMEOUT', `the DNS server did not reply within ${timeout} ms`)
    return parseReply(messageIn(fetched), normalized, requireAuthenticated)
  }
  return Object.assign(lookup, { servers: () => [url.host] })
}

function validateResolverUrl(value: unknown): URL {
  const url = validateServerUrl(value, 'url', 'https://dns.example/dns-query')
  if (url.hash === '' && !/[{}]|%7[bd]/i.test(url.href)) return url
  throw mistake([named('url'), ' is'], value, 'leave out {?dns}', () => 'a URL with a fragment or a template')
}

function validateMethod(method: unknown): 'POST' | 'GET' {
  if (method === 'POST' || method === 'GET') return method
  throw mistake('method is', method, 'pass "POST" or "GET"')
}

const MEDIA_TYPE = 'application/dns-message'

/** Makes the HTTP request of RFC 8484 section 4.1. */
function requestFor(url: URL, method: 'POST' | 'GET', query: Uint8Array<ArrayBuffer>): [string, RequestInit] {
  const accept = MEDIA_TYPE
  if (method === 'POST') return [url.href, { method, headers: { accept, 'content-type': MEDIA_TYPE }, body: query }]
  const withQuery = new URL(url)
  withQuery.searchParams.set('dns', Buffer.from(query).toString('base64url'))
  // A cache on the way could answer a GET, but the key changes: every verification must ask the resolver.
  return [withQuery.href, { method, headers: { accept, 'cache-control': 'no-cache' } }]
}

/** Returns the DNS message in a response (section 4.2). */
function messageIn({ response, bytes }: Fetched): Uint8Array {
  const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (response.status !== 200) throw badReply(`its HTTP status is ${response.status}`)
  if (type !== MEDIA_TYPE) throw badReply(`it is not ${MEDIA_TYPE}`)
  if (bytes === undefined) throw badReply(`it is longer than ${MAX_OCTETS} octets`)
  return bytes
}
