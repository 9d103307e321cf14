import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { authorityOf } from '../connections.ts'

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/

/**
 * Who is let in. With a token: whoever has it, on a loopback address too. Without: a browser whose address bar shows
 * the admin address. A hostile page can point its own name to 127.0.0.1 (DNS rebinding), but the browser then sends
 * that name as Host.
 *
 * @returns the status of a refusal, or undefined
 * @throws TypeError when anyone on the network could get in
 */
export function createAccessCheck(
  host: string,
  token: string | undefined
): (req: IncomingMessage) => 401 | 403 | undefined {
  if (token === '') throw new TypeError('the admin token is empty')
  if (token !== undefined) {
    const expected = hash(token)
    return req =>
      timingSafeEqual(hash(tokenIn(req.headers.authorization ?? '')), expected) ? undefined : 401
  }
  if (!LOOPBACK.test(host)) {
    throw new TypeError(
      `the admin address ${host} is not a loopback address, so it needs a token: set SIGNED_REQUESTS_ADMIN_TOKEN`
    )
  }
  return ({ headers, socket }) => {
    const names = [host, '127.0.0.1', 'localhost', '[::1]'].map(name =>
      authorityOf(name, socket.localPort ?? 0)
    )
    const asked = headers.host?.toLowerCase() ?? ''
    return names.includes(asked) || names.includes(`${asked}:80`) ? undefined : 403
  }
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The token of `Bearer TOKEN` (RFC 6750), or the password of `Basic` (RFC 7617), which browsers ask for. */
function tokenIn(authorization: string): string {
  const [, scheme = '', credentials = ''] = /^(bearer|basic) +(\S+)$/i.exec(authorization) ?? []
  if (scheme.toLowerCase() === 'bearer') return credentials
  const pair = Buffer.from(credentials, 'base64').toString()
  return pair.slice(pair.indexOf(':') + 1)
}
