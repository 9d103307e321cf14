import { shareCalls } from '../core/promises.ts'
import { responseError } from './errors.ts'
import type { AccountSettings } from './options.ts'
import { ownProperty, parseJson, request } from './request.ts'

export interface Token {
  value: string
  obtainedAt: number
  renewAt: number
}

export type TokenSource = ReturnType<typeof createTokenSource>

/**
 * Keeps the token. States: none -> valid on a good exchange; valid -> none by time or by a 401. A failed exchange
 * changes nothing.
 */
export function createTokenSource(settings: AccountSettings) {
  let current: Token | undefined
  const renew = shareCalls(async () => {
    current = await exchange(settings)
    return current
  })

  return {
    /** Returns the current token, or a new one. All waiting callers share one exchange. */
    async get(): Promise<Token> {
      const now = settings.now()
      // If the clock was set back, the age of the token is unknown, so it counts as expired.
      if (current !== undefined && current.obtainedAt <= now && now < current.renewAt) return current
      return renew()
    },
    /** Drops this token, which the API refused. Keeps a newer one that was obtained meanwhile. */
    discard(token: Token): void {
      // Tokens are compared as objects: a server may give the same text twice, and the second is still a newer token.
      if (current === token) current = undefined
    }
  }
}

/** Exchanges the access token for an authorization token: `POST {authUrl}/` with the form variable `access_token`. */
async function exchange(settings: AccountSettings): Promise<Token> {
  // Taken before the request: the server starts to count later, never earlier.
  const obtainedAt = settings.now()
  const text = await request(settings, 'authorization server', settings.authUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ access_token: settings.accessToken }).toString()
  })
  const value = parseToken(text, settings.accessToken)
  if (value === undefined)
    throw responseError('authorization server', 'it is not a token as text, a JSON string or a JSON object')
  return { value, obtainedAt, renewAt: renewalTime(value, obtainedAt) }
}

/** Tries the names in this order: the service's own name for it comes first. */
const TOKEN_FIELDS = ['authorization_token', 'token', 'access_token', 'jwt']

/**
 * A token is opaque, but it must fit into a header as one word (VCHAR of RFC 9110 section 5.5); servers limit lines to
 * 8 KB. An HTML page, which some servers send as text, is not a token, and neither is `null`, `true` or `false`.
 */
const TOKEN = /^(?!<.*>$|null$|true$|false$)[!-~]{1,8192}$/

const DAY = 24 * 60 * 60 * 1000
const MARGIN = 5 * 60 * 1000

/**
 * Parses the authorization token in the body of an exchange: plain text, a JSON string, or a JSON object with one of
 * the known fields. `undefined` when nothing in it is allowed in an Authorization header. A body that starts like JSON
 * must parse as JSON.
 *
 * An echo of the access token is not accepted: it would go to the API, which must never see it.
 */
export function parseToken(body: string, accessToken: string): string | undefined {
  const text = body.trim()
  const value = /^[{["]/.test(text) ? parseJson(text) : text
  const candidates = typeof value === 'string' ? [value] : TOKEN_FIELDS.map(name => ownProperty(value, name))
  // A page may repeat the form (`access_token=...`); a shorter secret could occur in any text by chance.
  const isEcho = (token: string) => token === accessToken || (accessToken.length >= 8 && token.includes(accessToken))
  return candidates.find((token): token is string => typeof token === 'string' && TOKEN.test(token) && !isEcho(token))
}

/**
 * Returns the `exp` of a JWT in milliseconds since 1970 (RFC 7519 section 4.1.4); `undefined` when it has no readable
 * one.
 */
export function expiryOf(token: string): number | undefined {
  const parts = token.split('.')
  // RFC 7515 section 7.1: header, payload, signature.
  const payload = parts.length === 3 ? Buffer.from(parts[1]!, 'base64url').toString() : ''
  const exp = ownProperty(parseJson(payload), 'exp')
  return typeof exp === 'number' ? exp * 1000 : undefined
}

/**
 * Returns when to fetch the next token: five minutes before its 24 hours end, or before its own `exp` if that is
 * earlier. For a token that lives less than 50 minutes, the margin is a tenth of its life. A new token has not expired:
 * if its `exp` is in the past, our clock is ahead of the server's, and every call would start an exchange.
 *
 * @param obtainedAt when the exchange began, in milliseconds since 1970
 */
export function renewalTime(token: string, obtainedAt: number): number {
  const left = (expiryOf(token) ?? 0) - obtainedAt
  const lifetime = left > 0 ? Math.min(DAY, left) : DAY
  return obtainedAt + lifetime - Math.min(MARGIN, lifetime / 10)
}
