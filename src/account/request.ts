import { networkError, responseError, type Server, statusError, timeoutError } from './errors.ts'
import type { AccountSettings } from './options.ts'

export interface Question {
  method: string
  headers: Record<string, string>
  body?: string
}

/** Far more than a token or an identity needs, and still little memory. */
const MAX_BYTES = 65_536

/** Content types for a token or an identity. The body's grammar decides; this only keeps out images and the like. */
const READABLE =
  /^(?:text\/[a-z0-9.+-]+|application\/(?:json|jwt|jose|octet-stream|[a-z0-9.-]+\+json))[ \t]*(?:;|$)/i

/**
 * Sends one request and reads the whole answer. One deadline covers head and body.
 *
 * @returns the text of a 2xx answer, or `{ status: 401 }` for the caller to try a new token.
 * @throws AccountError for everything else.
 */
export async function request(
  settings: AccountSettings,
  server: Server,
  url: string,
  question: Question
): Promise<{ status: number; text: string }> {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  // A race, because a `fetch` from the caller may ignore the signal.
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timeoutError(server, settings.timeout)), settings.timeout)
  })
  try {
    return await Promise.race([fetchOnce(settings.fetch, server, url, question, controller.signal), deadline])
  } finally {
    clearTimeout(timer)
    // Closes the connection of an answer that was not read to its end.
    controller.abort()
  }
}

async function fetchOnce(
  fetch: AccountSettings['fetch'],
  server: Server,
  url: string,
  question: Question,
  signal: AbortSignal
): Promise<{ status: number; text: string }> {
  let response: Response
  let bytes: Uint8Array | undefined
  try {
    // `manual`: following a redirect would send the access token or the bearer token to another URL.
    response = await fetch(url, { ...question, redirect: 'manual', signal })
    if (response.ok) bytes = await readResponse(response.body)
  } catch (thrown) {
    throw networkError(server, thrown)
  }
  if (response.status === 401 && server === 'API') return { status: 401, text: '' }
  if (!response.ok) throw statusError(server, response.status)
  if (bytes === undefined) throw responseError(server, `it is larger than ${MAX_BYTES} bytes`)
  const type = response.headers.get('content-type')
  if (type !== null && !READABLE.test(type)) {
    throw responseError(server, 'its content type is neither text nor JSON')
  }
  const text = decodeUtf8(bytes)
  if (text === undefined) throw responseError(server, 'it is not UTF-8')
  return { status: response.status, text }
}

/** The body, counted while it arrives (after content decoding); `undefined` as soon as it is too large. */
async function readResponse(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array()
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > MAX_BYTES) {
      reader.cancel().catch(() => {})
      return undefined
    }
    chunks.push(value)
  }
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
