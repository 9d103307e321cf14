import type { IncomingMessage } from 'node:http'
import type { ReceivedRequest, Verdict } from 'signed-requests'
import { normalizeHost } from '../../src/tools/index.ts'
import type { HeaderLine } from './exchange.ts'

/**
 * Why a request cannot be forwarded; undefined when it can.
 *
 * Its framing must be certain: HTTP/1.1, or HTTP/1.0 without a transfer coding (RFC 9112 section 6.1). Its target must
 * be a path, or a URL whose authority is Host (section 3.2): if they differ, two servers may each use a different one.
 */
export function whyNotForwardable(req: IncomingMessage): 'framing' | 'target' | undefined {
  const { httpVersion, url = '', headers, headersDistinct } = req
  const isFramed = httpVersion === '1.1' || (httpVersion === '1.0' && headers['transfer-encoding'] === undefined)
  if (!isFramed) return 'framing'
  if (url.startsWith('/')) return undefined
  const { scheme, authority } = parseAbsolute(url)
  const [host, ...others] = headersDistinct['host'] ?? []
  if (scheme === undefined || authority === undefined || host === undefined || others.length > 0) return 'target'
  return normalizeHost(host, scheme) === normalizeHost(authority, scheme) ? undefined : 'target'
}

type Received = Pick<ReceivedRequest, 'target' | 'https'> & Readonly<{ headers: readonly HeaderLine[] }>

/**
 * The one form of target and Host that was signed. RFC 9421 can cover parts of them that are the same for several:
 * `/hook?id=1` and `https://host/hook?id=1` (`@path`, `@query`, `@target-uri`), `/hook` and `/hook?` (`@query`), and
 * Host in another case or with the default port (`@authority`).
 */
export function asSigned(received: Received, verdict: Verdict): Received {
  if (verdict.status !== 'verified' || verdict.scheme !== 'rfc9421') return received
  const { target, https } = received
  const covered = verdict.coveredHeaders
  const { scheme, path = target } = parseAbsolute(target)
  const origin = path.startsWith('/') ? path : `/${path}`
  const signed = covered.includes('@target-uri') ? origin : origin.replace(/^([^?]*)\?$/, '$1')
  const protocol = scheme ?? (https ? 'https' : 'http')
  const isHostSigned = covered.some(name => /^host(?:;|$)/.test(name))
  return {
    https,
    target: covered.includes('@request-target') ? target : signed,
    headers: received.headers.map(([name, value]) =>
      name.toLowerCase() === 'host' && !isHostSigned ? [name, normalizeHost(value, protocol)] : [name, value]
    )
  }
}

function parseAbsolute(url: string) {
  const [, scheme, authority, path] = /^(https?):\/\/([^/?#]+)(.*)$/.exec(url) ?? []
  return { scheme: scheme as 'https' | 'http' | undefined, authority, path }
}
