import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isLoopback } from '../../../src/options/loopback.ts'

/** Why a request to the admin address is refused: its status, and one line for the person who asked. */
export interface AccessDenied {
  status: 401 | 403
  message: string
}

/** @throws TypeError when anyone on the network could get in */
export function assertProtected(host: string, token: string | undefined): void {
  if (token === '') throw new TypeError('the admin token is empty')
  if (token !== undefined || isLoopback(inBrackets(host))) return
  throw new TypeError(
    `the admin address ${host} is not a loopback address, so it needs a token: set SIGNED_REQUESTS_ADMIN_TOKEN`
  )
}

const inBrackets = (host: string): string =>
  host.includes(':') && !host.startsWith('[') ? `[${host}]` : host

/** As in a URL: IPv6 in brackets. */
export const authorityOf = (host: string, port: number): string => `${inBrackets(host)}:${port}`

/**
 * Who is let in. With a token: anyone who has it. Without: a browser whose address bar shows the admin address. A
 * stranger's page can point its own name to 127.0.0.1 (DNS rebinding), but the browser then sends that name as Host.
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
  const names = [inBrackets(host), '127.0.0.1', 'localhost', '[::1]']
  const allowed = new Set(names.flatMap(name => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])))
  return req =>
    allowed.has(req.headers.host?.toLowerCase() ?? '')
      ? undefined
      : {
          status: 403,
          message: `The Host of this request is not the admin address, such as localhost:${port}.`
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
