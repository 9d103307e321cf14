import type { LookupTxt } from '../key/dns.ts'
import { normalizeName } from '../key/name.ts'
import { describe } from '../mistakes/describe.ts'
import { orUndefined, ownOptions } from '../mistakes/own-options.ts'
import { validateFunction } from '../options/functions.ts'
import { isLoopback } from '../options/loopback.ts'
import { validateTimeout } from '../options/numbers.ts'
import { DohError, dohError } from './error.ts'
import { encodeQuery, parseAnswer } from './message.ts'
import { type DohServer, type Fetch, requestAnswer } from './request.ts'

/** Which resolver to ask, and how. */
export interface DohTxtLookupOptions {
  /** the resolver's URL, such as `https://dns.example/dns-query`; http for a loopback address only */
  url: string | URL
  /** `POST` by default; `GET` for a resolver that supports nothing else */
  method?: 'POST' | 'GET'
  /** the platform's by default, looked up at each call */
  fetch?: Fetch
  /** milliseconds for the whole exchange, 5000 by default */
  timeout?: number
  /** whether to reject answers without the AD bit, which says that the resolver validated them; false by default */
  requireAuthenticated?: boolean
}

/**
 * Asks a resolver by DNS over HTTPS (RFC 8484). It keeps no answers. The result and the error codes are those of
 * `resolveTxt`; `requireAuthenticated` adds `ENOTAUTHENTICATED`.
 *
 * The answer is as good as the resolver and the HTTPS connection to it. The AD bit says that the resolver validated the
 * answer by DNSSEC; nothing is validated here.
 *
 * @throws TypeError for a bad option
 */
export function dohTxtLookup(options: DohTxtLookupOptions): LookupTxt {
  const own = ownOptions('dohTxtLookup', options, [
    'url',
    'method',
    'fetch',
    'timeout',
    'requireAuthenticated'
  ])
  const { method = 'POST', requireAuthenticated = false } = own
  if (method !== 'POST' && method !== 'GET') {
    throw new TypeError(`method is ${describe(method)}: pass "POST" or "GET"`)
  }
  if (typeof requireAuthenticated !== 'boolean') {
    throw new TypeError(`requireAuthenticated is ${describe(requireAuthenticated)}: pass true or false`)
  }
  const given = own.fetch && validateFunction(own.fetch, 'fetch', '(url, init) => Promise<Response>')
  const timeout = validateTimeout(own.timeout, 5000, 'timeout')
  const server: DohServer = {
    url: validateUrl(own.url),
    method,
    fetch: (url, init) => (given ?? globalThis.fetch)(url, init)
  }

  return async (name, given) => {
    const asked = typeof name === 'string' ? normalizeName(name) : undefined
    if (asked === undefined) throw dohError('EBADNAME', 'the name is not one that DNS is asked for')
    const answer = await withDeadline(timeout, given?.signal, signal =>
      requestAnswer(server, encodeQuery(asked), signal)
    )
    return parseAnswer(answer, asked, requireAuthenticated)
  }
}

/** Rejects with a DohError at the deadline or when `outer` is aborted, even if `ask` ignores its signal. */
function withDeadline<T>(
  timeout: number,
  outer: AbortSignal | undefined,
  ask: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  const controller = new AbortController()
  return new Promise((resolve, reject) => {
    const stop = (error: DohError) => {
      reject(error)
      controller.abort(error)
    }
    const cancel = () => stop(dohError('ECANCELLED', 'the lookup was cancelled'))
    if (outer?.aborted) return cancel()
    const timer = setTimeout(() => {
      stop(dohError('ETIMEOUT', `the DNS server did not answer within ${timeout} ms`))
    }, timeout)
    outer?.addEventListener('abort', cancel, { once: true })
    ask(controller.signal)
      .then(resolve, error => reject(error instanceof DohError ? error : connectionError(error)))
      .finally(() => {
        clearTimeout(timer)
        outer?.removeEventListener('abort', cancel)
      })
  })
}

/**
 * `fetch` failed. Its codes are about the resolver's own name and address: `ENOTFOUND` there says nothing about the
 * key.
 */
function connectionError(error: unknown): DohError {
  const { code } = ((error as Error | undefined)?.cause ?? {}) as { code?: unknown }
  const isLate = typeof code === 'string' && /TIMEDOUT|TIMEOUT/.test(code)
  return dohError(isLate ? 'ETIMEOUT' : 'ECONNREFUSED', 'the DNS server could not be reached', error)
}

/** @throws TypeError, without the URL, which may contain a credential for the resolver */
function validateUrl(url: unknown): string {
  let parsed: URL | undefined
  try {
    parsed = typeof url === 'string' || url instanceof URL ? new URL(url) : undefined
  } catch {
    // It is not a URL.
  }
  if (parsed === undefined) {
    const given = typeof url === 'string' ? 'not an absolute URL' : orUndefined(url)
    throw new TypeError(
      `url is ${given}: pass the URL of a resolver, such as "https://dns.example/dns-query"`
    )
  }
  if (parsed.protocol !== 'https:' && !(parsed.protocol === 'http:' && isLoopback(parsed.hostname))) {
    throw new TypeError('url must be an https URL: http is for localhost, 127.0.0.0/8 and [::1] only')
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new TypeError('url must not contain a user name or password: fetch refuses it')
  }
  if (parsed.hash !== '' || /[{}]|%7[bd]/i.test(parsed.href)) {
    throw new TypeError('url must have no fragment and no template: leave out {?dns}')
  }
  return parsed.href
}
