import { own, parseJson } from './json.ts'

/** In this order: the service's own name for it first. */
const FIELDS = ['authorization_token', 'token', 'access_token', 'jwt']

/** The token is opaque, but must fit into a header as one word (VCHAR of RFC 9110 section 5.5). */
const VISIBLE_ASCII = /^[!-~]+$/

/** Servers refuse header lines beyond 8 to 16 KB. */
const MAX_LENGTH = 8192

const DAY = 24 * 60 * 60 * 1000
const MARGIN = 5 * 60 * 1000

/** A page in place of the token: some servers send it as text. */
const MARKUP = /^<.*>$/s

/**
 * The authorization token in the body of an exchange: plain text, a JSON string, or a JSON object with one of the known
 * fields. `undefined` when nothing in it is allowed in an Authorization header. A body that starts like JSON must parse
 * as JSON.
 *
 * An echo of the access token is not accepted: it would go to the API, which must never see it.
 */
export function parseToken(body: string, accessToken: string): string | undefined {
  const text = body.trim()
  const candidates = /^[{["]/.test(text) ? fromJson(text) : MARKUP.test(text) ? [] : [text]
  return candidates.find(
    (candidate): candidate is string =>
      typeof candidate === 'string' &&
      candidate.length <= MAX_LENGTH &&
      VISIBLE_ASCII.test(candidate) &&
      !isEcho(candidate, accessToken) &&
      // In JSON these mean "nothing", not a token.
      !['null', 'true', 'false'].includes(candidate)
  )
}

/** A page may repeat the form (`access_token=...`); a shorter secret could occur in any text by chance. */
const isEcho = (candidate: string, accessToken: string): boolean =>
  candidate === accessToken || (accessToken.length >= 8 && candidate.includes(accessToken))

function fromJson(text: string): unknown[] {
  const value = parseJson(text)?.value
  return typeof value === 'string' ? [value] : FIELDS.map(name => own(value, name))
}

/**
 * A time in a JWT in milliseconds since 1970 (RFC 7519 section 4.1); `undefined` when the token has no readable one.
 */
export function jwtTime(token: string, claim: 'exp' | 'iat'): number | undefined {
  const parts = token.split('.')
  // RFC 7515 section 7.1: header, payload, signature.
  if (parts.length !== 3) return undefined
  try {
    const binary = atob(parts[1]!.replaceAll('-', '+').replaceAll('_', '/'))
    const json = new TextDecoder().decode(Uint8Array.from(binary, char => char.charCodeAt(0)))
    const time = own(JSON.parse(json), claim)
    return typeof time === 'number' ? time * 1000 : undefined
  } catch {
    return undefined
  }
}

/**
 * When to fetch the next token: five minutes before its 24 hours end, or before its own `exp` if that is earlier. For a
 * token that lives less than 50 minutes, the margin is a tenth of its life.
 *
 * @param obtainedAt when the exchange began, in milliseconds since 1970
 */
export function renewalTime(token: string, obtainedAt: number): number {
  const lifetime = Math.min(DAY, jwtLifetime(token, obtainedAt))
  return obtainedAt + lifetime - Math.min(MARGIN, lifetime / 10)
}

/**
 * A new token has not expired. If its `exp` is in the past, our clock is ahead of the server's, so the lifetime is
 * taken from the token's own `iat` and `exp`. Otherwise every call would start an exchange.
 */
function jwtLifetime(token: string, obtainedAt: number): number {
  const exp = jwtTime(token, 'exp')
  if (exp === undefined) return DAY
  if (exp > obtainedAt) return exp - obtainedAt
  const lifetime = exp - (jwtTime(token, 'iat') ?? Number.NaN)
  return lifetime > 0 ? lifetime : DAY
}
