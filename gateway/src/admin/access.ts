import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { authorityOf } from '../addresses.ts'

/**
 * Decides who is let in. With a token: whoever has it, on a loopback address too. Without: a browser whose address bar
 * shows the admin address. A hostile page can point its own name to 127.0.0.1 (DNS rebinding), but the browser then
 * sends that name as Host.
 *
 * @returns the status of a refusal, or undefined
 */
export function accessRefusal(
  { headers, socket }: IncomingMessage,
  host: string,
  token: string | undefined
): 401 | 403 | undefined {
  if (token !== undefined) {
    return timingSafeEqual(hash(tokenIn(headers.authorization ?? '')), hash(token)) ? undefined : 401
  }
  const names = [host, '127.0.0.1', 'localhost', '[::1]']
  const addresses = names.map(name => authorityOf(name, socket.localPort ?? 0))
  const asked = headers.host?.toLowerCase() ?? ''
  return addresses.includes(asked) || addresses.includes(`${asked}:80`) ? undefined : 403
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The token of `Bearer TOKEN` (RFC 6750), or the password of `Basic` (RFC 7617), which browsers ask for. */
function tokenIn(authorization: string): string {
  const [, scheme = '', credentials = ''] = /^(bearer|basic) +(\S+)$/i.exec(authorization) ?? []
  if (scheme.toLowerCase() === 'bearer') return credentials
  const pair = Buffer.from(credentials, 'base64').toString()
  return pair.slice(pair.indexOf(':') + 1)
}
