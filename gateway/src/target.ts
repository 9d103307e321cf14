import type { IncomingMessage } from 'node:http'
import type { ReceivedRequest, Verdict } from 'signed-requests'
import { normalizeHost, splitAbsoluteUrl } from '../../src/internal/index.ts'
import type { HeaderLine } from './exchange.ts'

/**
 * Returns why a request cannot be forwarded; undefined when it can.
 *
 * Its target must be a path, or a URL whose authority is Host (RFC 9112 section 3.2): if they differ, two servers may
 * each use a different one.
 */
export function whyNotForwardable(req: IncomingMessage): 'framing' | 'target' | undefined {
  const { url = '' } = req
  if (!hasCertainFraming(req)) return 'framing'
  if (url.startsWith('/')) return undefined
  // Made of the raw headers when it is read.
  const { headersDistinct } = req
  const { scheme, authority } = splitAbsoluteUrl(url) ?? {}
  const [host, ...others] = headersDistinct['host'] ?? []
  if (scheme === undefined || !authority || host === undefined || others.length > 0) return 'target'
  // The HTTP client of the gateway sends a scheme in lower case only.
  if (!url.startsWith(scheme)) return 'target'
  return normalizeHost(host, scheme) === normalizeHost(authority, scheme) ? undefined : 'target'
}

/**
 * Returns whether every server sees the same end and the same body of a request: in HTTP/1.1 without a transfer coding
 * or with `chunked` alone, whose content is the body (any other coding would have to be undone); in HTTP/1.0 without a
 * coding (RFC 9112 section 6.1).
 */
export function hasCertainFraming({ httpVersion, headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding']
  if (coding === undefined) return httpVersion === '1.1' || httpVersion === '1.0'
  return httpVersion === '1.1' && coding.toLowerCase() === 'chunked'
}

type Received = Pick<ReceivedRequest, 'target' | 'https'> & Readonly<{ headers: readonly HeaderLine[] }>

/**
 * Returns target and Host in the one form that was signed. RFC 9421 can cover parts of them that are the same for
 * several: `/hook?id=1` and `https://host/hook?id=1` (`@path`, `@query`, `@target-uri`), `/hook` and `/hook?`
 * (`@query`), and Host in another case or with the default port (`@authority`).
 */
export function asSigned(received: Received, verdict: Verdict): Received {
  if (verdict.status !== 'verified' || verdict.scheme !== 'rfc9421') return received
  const { target, https } = received
  const covered = verdict.coveredHeaders
  const { scheme } = splitAbsoluteUrl(target) ?? {}
  const signed = covered.includes('@target-uri') ? originOf(target) : withoutEmptyQuery(originOf(target))
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

/** Returns path and query, the same for all targets that RFC 9421 may sign alike. */
export const pathAndQuery = (target: string): string => withoutEmptyQuery(originOf(target))

function originOf(target: string): string {
  const path = splitAbsoluteUrl(target)?.target ?? target
  return path.startsWith('/') ? path : `/${path}`
}

const withoutEmptyQuery = (target: string): string => target.replace(/^([^?]*)\?$/, '$1')
