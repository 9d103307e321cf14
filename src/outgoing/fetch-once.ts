import { isLoopback } from '../core/http/uri.ts'
import { kindOfSetting, mistake, named } from '../core/mistakes.ts'
import { withDeadline } from '../core/promises.ts'

/** The platform's `fetch`, or a function of its type. */
export type Fetch = typeof globalThis.fetch

/** Limits how long request and response together may take, and how long the body may be after content decoding. */
export interface FetchLimits {
  timeout: number
  maxBytes: number
  /** aborted when the caller no longer waits */
  signal?: AbortSignal | undefined
}

/** A response with its body; nothing more is read of it. */
export interface Fetched {
  response: Response
  /** undefined when it is longer than `maxBytes`, and when the status is not 2xx */
  bytes: Uint8Array | undefined
}

/**
 * Sends one request of our own, within limits, even if `fetch` ignores its signal. A redirect is returned and not
 * followed: the new server would get the token, or could answer the query.
 *
 * @returns undefined when it is late; rejects with whatever `fetch` or the body's stream rejected with
 */
export async function fetchOnce(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  limits: FetchLimits
): Promise<Fetched | undefined> {
  const controller = new AbortController()
  const signals = limits.signal === undefined ? [controller.signal] : [limits.signal, controller.signal]
  const fetchWhole = async (): Promise<Fetched> => {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) })
    return { response, bytes: response.ok ? await readBytes(response.body, limits.maxBytes) : undefined }
  }
  try {
    return await withDeadline(fetchWhole(), limits.timeout, () => undefined)
  } finally {
    // Closes the connection of a response that was not read to its end.
    controller.abort()
  }
}

async function readBytes(body: Response['body'], maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

/**
 * Parses the URL of a server that gets secrets, or whose answers are believed: https, or http on this machine.
 *
 * @throws TypeError, without the URL, which may contain a credential
 */
export function validateServerUrl(url: unknown, option: string, example: string): URL {
  if (!(url instanceof URL) && (typeof url !== 'string' || url === ''))
    throw mistake([named(option), ' is'], url, `pass a URL such as "${example}"`, kindOfSetting)
  const wrong = (received: string, rule: string) => mistake([named(option), ' is'], url, rule, () => received)
  if (!URL.canParse(String(url))) throw wrong('not an absolute URL', `pass one such as "${example}"`)
  const parsed = new URL(url)
  // RFC 6750 section 5.3, RFC 8484 section 5: over TLS.
  if (parsed.protocol !== 'https:' && !(parsed.protocol === 'http:' && isLoopback(parsed.hostname)))
    throw wrong('not an https URL', 'http is for localhost, 127.0.0.0/8 and [::1] only')
  if (parsed.username !== '' || parsed.password !== '')
    throw wrong('a URL with a user name or password', 'leave them out, because fetch refuses them')
  return parsed
}
