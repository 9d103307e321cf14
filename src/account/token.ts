import { own, parseJson } from './json.ts'

/** In this order: the name the service gives the thing first. */
const FIELDS = ['authorization_token', 'token', 'access_token', 'jwt']

/** RFC 6750 section 2.1: b64token = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"=" */
const B64TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

/** Servers refuse header lines beyond 8 to 16 KB. */
const MAX_LENGTH = 8192

const DAY = 24 * 60 * 60 * 1000
const MARGIN = 5 * 60 * 1000

/**
 * The authorization token in the body of an exchange: plain text, a JSON string, or a JSON object with one of the
 * known fields. `undefined` when there is none that may stand in an Authorization header.
 *
 * The access token itself, sent back, is none: it would go to the API, which must never see it.
 */
export function readToken(body: string, accessToken: string): string | undefined {
  const text = body.trim()
  const candidates = text.startsWith('{') || text.startsWith('"') ? fromJson(text) : [text]
  return candidates.find(
    (candidate): candidate is string =>
      typeof candidate === 'string' &&
      candidate.length <= MAX_LENGTH &&
      B64TOKEN.test(candidate) &&
      candidate !== accessToken &&
      // JSON's way to say "nothing", not a token.
      !['null', 'true', 'false'].includes(candidate)
  )
}

function fromJson(text: string): unknown[] {
  const value = parseJson(text)?.value
  return typeof value === 'string' ? [value] : FIELDS.map(name => own(value, name))
}

/** `exp` of a JWT in milliseconds since 1970 (RFC 7519 section 4.1.4); `undefined` when the token has none to read. */
export function jwtExpiry(token: string): number | undefined {
  const parts = token.split('.')
  // RFC 7515 section 7.1: header, payload, signature.
  if (parts.length !== 3) return undefined
  try {
    const binary = atob(parts[1]!.replaceAll('-', '+').replaceAll('_', '/'))
    const json = new TextDecoder().decode(Uint8Array.from(binary, char => char.charCodeAt(0)))
    const exp = own(JSON.parse(json), 'exp')
    return typeof exp === 'number' ? exp * 1000 : undefined
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
  const lifetime = Math.min(DAY, (jwtExpiry(token) ?? Number.POSITIVE_INFINITY) - obtainedAt)
  return obtainedAt + lifetime - Math.min(MARGIN, lifetime / 10)
}
