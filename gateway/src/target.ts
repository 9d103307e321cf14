import type { IncomingMessage } from 'node:http'
import type { Verdict } from 'signed-requests'

type Reason = 'framing' | 'target'

/**
 * Why a request cannot be forwarded; undefined when it can.
 *
 * Its framing must be certain: HTTP/1.1, or HTTP/1.0 without a transfer coding (RFC 9112 section 6.1). Its target must
 * be a path, or a URL whose authority is Host (section 3.2): if they differ, two servers may each use a different one.
 */
export function whyNotForwardable({
  httpVersion,
  url = '',
  headers,
  rawHeaders
}: IncomingMessage): Reason | undefined {
  const isFramed =
    httpVersion === '1.1' || (httpVersion === '1.0' && headers['transfer-encoding'] === undefined)
  if (!isFramed) return 'framing'
  if (url.startsWith('/')) return undefined
  const { scheme, authority } = parseAbsolute(url)
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === 'host')
  if (authority === undefined || hosts.length !== 1) return 'target'
  return normalize(hosts[0]!, scheme) === normalize(authority, scheme) ? undefined : 'target'
}

/**
 * The one form of the target that was signed. RFC 9421 can cover parts of it that are the same for several targets:
 * `/hook?id=1` and `https://host/hook?id=1` (`@path`, `@query`, `@target-uri`), `/hook` and `/hook?` (`@query`).
 */
export function signedTarget(target: string, verdict: Verdict): string {
  if (verdict.status !== 'verified' || verdict.scheme !== 'rfc9421') return target
  const { coveredHeaders } = verdict
  if (coveredHeaders.includes('@request-target')) return target
  const { path = target } = parseAbsolute(target)
  const origin = path.startsWith('/') ? path : `/${path}`
  return coveredHeaders.includes('@target-uri') ? origin : origin.replace(/^([^?]*)\?$/, '$1')
}

/**
 * The one form of Host, where only `@authority` was signed: that is the same for another case, and with or without the
 * default port.
 */
export function signedHost(host: string, { target, https }: Received, verdict: Verdict): string {
  if (verdict.status !== 'verified' || verdict.scheme !== 'rfc9421') return host
  const isSigned = verdict.coveredHeaders.some(name => /^host(?:;|$)/.test(name))
  return isSigned ? host : normalize(host, parseAbsolute(target).scheme || (https ? 'https' : 'http'))
}

type Received = Readonly<{ target: string; https: boolean }>

function parseAbsolute(url: string) {
  const [, scheme = '', authority, path] = /^(https?):\/\/([^/?#]+)(.*)$/.exec(url) ?? []
  return { scheme, authority, path }
}

/** Without the default port (RFC 9110 section 4.2.3). */
const normalize = (host: string, scheme: string): string =>
  host.toLowerCase().replace(scheme === 'https' ? /:443$/ : /:80$/, '')
