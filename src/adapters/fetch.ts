import type { ReceivedBody, ReceivedRequest } from '../http/request.ts'
import { beforeProxy, type HeaderLine, type ProxyOptions, validateProxyOptions } from './proxy.ts'

export interface FromFetchOptions extends ProxyOptions {
  /** the raw bytes, when they were read already: `new Uint8Array(await request.arrayBuffer())` */
  body?: Uint8Array | string | undefined
}

/**
 * A received request from a `Request`: Hono (`c.req.raw`), Next.js route handlers, SvelteKit (`event.request`), Bun,
 * Deno, Cloudflare Workers.
 *
 * The target is cut out of `request.url` byte for byte. The runtime has made that URL from what it received, and has
 * normalized it (`/a/../b` is `/b`, a fragment is gone): a sender that signs such a target is refused. Repeated
 * headers are joined, which leaves none of those that may come only once valid.
 *
 * `https` is the scheme of `request.url`. Some servers take it from the sender: `@hono/node-server` and Deno from a
 * request line with an absolute URL, Next.js from X-Forwarded-Proto. Set `options.https` there.
 *
 * @throws TypeError for a body that was read already when no raw bytes are given, for anything that is not a Request,
 *   and for a bad option; never for what a sender sends
 */
export function fromFetchRequest(request: Request, options: FromFetchOptions = {}): ReceivedRequest {
  assertFetchRequest(request)
  const own = validateProxyOptions(options, 'fromFetchRequest', ['body', 'https', 'host', 'prefix'])
  const { scheme, authority, target } = splitUrl(request.url)
  return beforeProxy(
    {
      method: request.method,
      target,
      headers: headerLines(request.headers, authority),
      body: bodyOf(request, own.body),
      https: scheme === 'https'
    },
    own
  )
}

function assertFetchRequest(request: unknown): void {
  const { url, headers } = (request ?? {}) as Partial<Request>
  if (typeof url === 'string' && typeof headers?.get === 'function') return
  throw new TypeError(
    'fromFetchRequest() takes a Request: c.req.raw in Hono, event.request in SvelteKit; for req of node:http or ' +
      'Express there is fromNodeRequest()'
  )
}

/** RFC 3986 appendix B, for http and https. An empty path is sent as "/" (RFC 9112 section 3.2.1). */
function splitUrl(url: string): { scheme: string; authority: string; target: string } {
  const [, scheme = '', authority = '', rest = url] = /^(https?):\/\/([^/?#]*)([^#]*)/.exec(url) ?? []
  return { scheme, authority, target: rest.startsWith('/') ? rest : `/${rest}` }
}

/** Runtimes that hide Host, as HTTP/2 has none, have built the URL from what stood for it. */
function headerLines(headers: Headers, authority: string): HeaderLine[] {
  const lines = [...headers]
  return headers.has('host') || authority === '' ? lines : [...lines, ['host', authority]]
}

function bodyOf(request: Request, given: unknown): ReceivedBody {
  if (given instanceof Uint8Array || typeof given === 'string') return given
  if (given !== undefined) {
    throw new TypeError(
      'options.body is not raw bytes, and the digest is over the bytes as sent: ' +
        'pass new Uint8Array(await request.arrayBuffer()), not what request.json() or request.formData() made of them'
    )
  }
  if (request.bodyUsed || request.body?.locked) {
    throw new TypeError(
      'the request body was already read, and the digest is over the bytes as sent: call verify() first and use ' +
        'verdict.body, or read the body once with new Uint8Array(await request.arrayBuffer()) and pass it as options.body'
    )
  }
  return request.body
}
