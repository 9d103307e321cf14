import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Why a request to the admin address is refused: its status, and one line for the person who asked. */
export interface AccessDenied {
  status: 401 | 403
  message: string
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/

/** @throws TypeError when anyone on the network could get in */
export function assertProtected(host: string, token: string | undefined): void {
  if (token === '') throw new TypeError('the admin token is empty')
  if (token !== undefined || LOOPBACK.test(host)) return
  throw new TypeError(
    `the admin address ${host} is not a loopback address, so it needs a token: set SIGNED_REQUESTS_ADMIN_TOKEN`
  )
}

/** As in a URL: IPv6 in brackets. */
export const authorityOf = (host: string, port: number): string =>
  `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`

/**
 * Who is let in. With a token: whoever has it, on a loopback address too. Without: a browser whose address bar shows
 * the admin address. A hostile page can point its own name to 127.0.0.1 (DNS rebinding), but the browser then sends
 * that name as Host.
 */
export function createAccessCheck(
  host: string,
  port: number,
  token: string | undefined
): (req: IncomingMessage) => AccessDenied | undefined {
  if (token !== undefined) {
    const expected = hash(token)
    return req =>
      timingSafeEqual(hash(tokenIn(req.headers.authorization ?? '')), expected)
        ? undefined
        : { status: 401, message: 'The token is missing or wrong.' }
  }
  const names = [host, '127.0.0.1', 'localhost', '[::1]'].map(name => authorityOf(name, port))
  const allowed = new Set([...names, ...(port === 80 ? names.map(name => name.slice(0, -3)) : [])])
  const message = `The Host of this request is not the admin address, such as localhost:${port}.`
  return req => (allowed.has(req.headers.host?.toLowerCase() ?? '') ? undefined : { status: 403, message })
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The token of `Bearer TOKEN` (RFC 6750), or the password of `Basic` (RFC 7617), which browsers ask for. */
function tokenIn(authorization: string): string {
  const [, scheme = '', credentials = ''] = /^(bearer|basic) +(\S+)$/i.exec(authorization) ?? []
  if (scheme.toLowerCase() === 'bearer') return credentials
  const pair = Buffer.from(credentials, 'base64').toString()
  return pair.slice(pair.indexOf(':') + 1)
}
