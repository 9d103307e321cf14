import { own, parseJson } from './json.ts'

/** In this order: the name the service gives the thing first. */
const FIELDS = ['authorization_token', 'token', 'access_token', 'jwt']

/** The token is opaque: what can stand in a header as one word (VCHAR of RFC 9110 section 5.5). */
const VISIBLE_ASCII = /^[!-~]+$/

/** Servers refuse header lines beyond 8 to 16 KB. */
const MAX_LENGTH = 8192

const DAY = 24 * 60 * 60 * 1000
const MARGIN = 5 * 60 * 1000

/** A page that stands where the token should: some servers call it text. */
const MARKUP = /^<.*>$/s

/**
 * The authorization token in the body of an exchange: plain text, a JSON string, or a JSON object with one of the
 * known fields. `undefined` when there is none that may stand in an Authorization header. What begins as JSON is JSON
 * or nothing.
 *
 * The access token itself, sent back, is not one: it would go to the API, which must never see it.
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
      // JSON's way to say "nothing", not a token.
      !['null', 'true', 'false'].includes(candidate)
  )
}

/** A page may repeat the form (`access_token=...`); a secret shorter than this could stand in any text by chance. */
const isEcho = (candidate: string, accessToken: string): boolean =>
  candidate === accessToken || (accessToken.length >= 8 && candidate.includes(accessToken))

function fromJson(text: string): unknown[] {
  const value = parseJson(text)?.value
  return typeof value === 'string' ? [value] : FIELDS.map(name => own(value, name))
}

/** A time in a JWT in milliseconds since 1970 (RFC 7519 section 4.1); `undefined` when the token has none to read. */
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
 * When to fetch the next token: five minutes before the 24 hours, or the token's own earlier `exp`, run out. Of a
 * token that lives for less than 50 minutes a tenth of its life is margin enough.
 *
 * @param obtainedAt when the exchange began, in milliseconds since 1970
 */
export function renewalTime(token: string, obtainedAt: number): number {
  const lifetime = Math.min(DAY, jwtLifetime(token, obtainedAt))
  return obtainedAt + lifetime - Math.min(MARGIN, lifetime / 10)
}

/**
 * A token that was given out just now has not expired: when `exp` lies in the past, our clock is ahead of the server's,
 * and the token's own two times say how long it lives. Otherwise there would be an exchange at every call.
 */
function jwtLifetime(token: string, obtainedAt: number): number {
  const exp = jwtTime(token, 'exp')
  if (exp === undefined) return DAY
  if (exp > obtainedAt) return exp - obtainedAt
  const lifetime = exp - (jwtTime(token, 'iat') ?? Number.NaN)
  return lifetime > 0 ? lifetime : DAY
}
