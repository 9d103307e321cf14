import { lineValues } from '../core/http/fields.ts'
import type { ForwardedNotes, HeaderLine, ReceivedRequest } from '../core/http/request.ts'
import { isHost, isPathPrefix, restorePathPrefix } from '../core/http/uri.ts'
import { describeSetting, mistake, validateAll } from '../core/mistakes.ts'

/** Says what a proxy in front changes. No forwarding header is trusted unless it is named here. */
export interface ProxyOptions {
  /**
   * whether the request arrived over TLS: true, false, or what the proxy says in X-Forwarded-Proto; by default, what
   * the receiver saw
   */
  https?: boolean | 'x-forwarded-proto' | undefined
  /**
   * the Host that the sender signed: what the proxy says in X-Forwarded-Host, or a fixed name; by default, what was
   * received
   */
  host?: 'x-forwarded-host' | (string & {}) | undefined
  /**
   * the path prefix that the proxy strips: `'/hooks'`, or what the proxy says in X-Forwarded-Prefix. It is put in front
   * of the target, without a trailing slash.
   */
  prefix?: 'x-forwarded-prefix' | (string & {}) | undefined
}

export const PROXY_OPTIONS = ['https', 'host', 'prefix'] as const

/** The request that every adapter makes of its framework's: with the header lines one by one, repeats included. */
export interface AdapterRequest extends ReceivedRequest {
  headers: readonly HeaderLine[]
}

function validateHttps(https: unknown): void {
  if (https !== undefined && typeof https !== 'boolean' && https !== 'x-forwarded-proto')
    throw mistake('options.https is', https, 'write true, false or "x-forwarded-proto"', describeSetting)
}

function validateHost(host: unknown): void {
  // No host has the name of a header, in other capitals either. "header" is a word of fromFetchRequest() alone.
  const isHeaderName = host !== 'x-forwarded-host' && /^(?:header|x-forwarded-.*)$/i.test(String(host))
  if (host === undefined || (!isHeaderName && isHost(host))) return
  const rule = 'write "x-forwarded-host" or a host name, such as "hooks.example.com"'
  throw mistake('options.host is', host, rule, describeSetting)
}

function validatePrefix(prefix: unknown): void {
  if (prefix === undefined || prefix === 'x-forwarded-prefix' || isPathPrefix(prefix)) return
  const rule = 'write "x-forwarded-prefix" or the path that the proxy strips, such as "/hooks"'
  throw mistake('options.prefix is', prefix, rule, describeSetting)
}

/**
 * Makes a function that returns the request as it reached the proxy: it undoes the changes that the options name.
 *
 * @throws TypeError for a bad option, at once
 */
export function prepareProxy(options: Partial<ProxyOptions>): (seen: AdapterRequest) => ReceivedRequest {
  const { https, host, prefix } = options
  validateAll(
    () => validateHttps(https),
    () => validateHost(host),
    () => validatePrefix(prefix)
  )

  return seen => {
    const notes: ForwardedNotes = {}
    const request: ReceivedRequest = {
      ...seen,
      target: restorePrefix(seen, prefix),
      https: typeof https === 'boolean' ? https : seen.https
    }
    if (https === 'x-forwarded-proto') {
      const received = lineValues(seen.headers, https)
      // Exactly one word from exactly one proxy: a list or a repeat has parts that the client may have written.
      request.https = received.length === 1 && received[0]!.toLowerCase() === 'https'
      if (!request.https) notes.https = { header: 'X-Forwarded-Proto', received }
    }
    if (host !== undefined) {
      const isForwarded = host === 'x-forwarded-host'
      const received = isForwarded ? lineValues(seen.headers, host) : [host]
      // A missing, repeated or list value is kept: the host check refuses each of them.
      const others = seen.headers.filter(([name]) => name.toLowerCase() !== 'host')
      request.headers = [...others, ...received.map(value => ['Host', value] as const)]
      if (received.length !== 1 || !isHost(received[0])) notes.host = { header: 'X-Forwarded-Host', received }
    }
    if (notes.https ?? notes.host) request.forwarded = notes
    return request
  }
}

/**
 * Restores a prefix, if one is to be restored. Returns the target as it is when the header is not exactly one path: the
 * signature then decides.
 */
function restorePrefix({ target, headers }: AdapterRequest, option: string | undefined): string {
  const [prefix, ...more] = option === 'x-forwarded-prefix' ? lineValues(headers, option) : [option]
  // "*" and an absolute URL are not paths (RFC 9112 section 3.2).
  if (more.length > 0 || !isPathPrefix(prefix) || !target.startsWith('/')) return target
  return restorePathPrefix(prefix, target)
}
