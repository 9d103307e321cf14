import { responseError } from './errors.ts'
import type { AccountSettings } from './options.ts'
import { request } from './request.ts'
import { parseToken, renewalTime } from './token.ts'

export interface Token {
  value: string
  obtainedAt: number
  renewAt: number
}

export interface TokenSource {
  /** The current token, or a new one. All waiting callers share one exchange. */
  get(): Promise<Token>
  /** The API refused this token. A newer one, obtained meanwhile, is kept. */
  discard(token: Token): void
}

/** States: none -> valid on a good exchange; valid -> none by time or by a 401. A failed exchange changes nothing. */
export function createTokenSource(settings: AccountSettings): TokenSource {
  let current: Token | undefined
  let pending: Promise<Token> | undefined

  const renew = async (): Promise<Token> => {
    try {
      current = await exchange(settings)
      return current
    } finally {
      pending = undefined
    }
  }

  return {
    async get() {
      if (current !== undefined && isFresh(current, settings.now())) return current
      pending ??= renew()
      return pending
    },
    discard(token) {
      // Compared as objects: a server may give the same text twice, and the second is still a newer token.
      if (current === token) current = undefined
    }
  }
}

/** If the clock was set back, the age of the token is unknown, so it counts as expired. */
function isFresh(token: Token, now: number): boolean {
  return token.obtainedAt <= now && now < token.renewAt
}

/** The access token for an authorization token: `POST {authUrl}/` with the form variable `access_token`. */
async function exchange(settings: AccountSettings): Promise<Token> {
  // Taken before the request: the server starts to count later, never earlier.
  const obtainedAt = settings.now()
  const { text } = await request(settings, 'authorization server', settings.authUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ access_token: settings.accessToken }).toString()
  })
  const value = parseToken(text, settings.accessToken)
  if (value === undefined) {
    throw responseError(
      'authorization server',
      'it is not an authorization token as text, JSON string or JSON object'
    )
  }
  return { value, obtainedAt, renewAt: renewalTime(value, obtainedAt) }
}
