import { dohError } from './error.ts'

export type Fetch = typeof globalThis.fetch

/** Which resolver is asked, and how. */
export interface DohServer {
  url: string
  method: 'GET' | 'POST'
  fetch: Fetch
}

/**
 * Four keys of 8192 bits take 6,000 octets. RFC 8484 section 6 allows 65,535, which a resolver could fill with chains
 * of pointers that take dns-packet a second to follow.
 */
const MAX_OCTETS = 16_384

const MEDIA_TYPE = 'application/dns-message'

/** The HTTP request of RFC 8484 section 4: the answer's octets, at most 16,384. */
export async function requestAnswer(
  server: DohServer,
  query: Uint8Array,
  signal: AbortSignal
): Promise<Uint8Array> {
  const response = await send(server, query, signal)
  const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (response.status !== 200 || type !== MEDIA_TYPE) {
    response.body?.cancel().catch(() => {})
    throw dohError(
      'EBADRESP',
      response.status === 200
        ? `the DNS server did not answer with ${MEDIA_TYPE}`
        : `the DNS server answered with HTTP status ${response.status}`
    )
  }
  return readResponse(response)
}

/** A redirect is not followed: another server would see the query and could answer it. */
function send({ url, method, fetch }: DohServer, query: Uint8Array, signal: AbortSignal): Promise<Response> {
  const headers = { accept: MEDIA_TYPE }
  if (method === 'POST') {
    const body = new Uint8Array(query)
    return fetch(url, {
      method,
      headers: { ...headers, 'content-type': MEDIA_TYPE },
      body,
      redirect: 'manual',
      signal
    })
  }
  const withQuery = new URL(url)
  withQuery.searchParams.set('dns', Buffer.from(query).toString('base64url'))
  // A cache on the way could answer a GET, but the key changes: every verification must ask the resolver.
  return fetch(withQuery.href, {
    method,
    headers: { ...headers, 'cache-control': 'no-cache' },
    redirect: 'manual',
    signal
  })
}

async function readResponse({ body }: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = body?.getReader()
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    length += part.value.length
    if (length > MAX_OCTETS) {
      reader?.cancel().catch(() => {})
      throw dohError('EBADRESP', `the DNS answer is longer than ${MAX_OCTETS} octets`)
    }
    chunks.push(part.value)
  }
  return Buffer.concat(chunks, length)
}
