import type { ReceivedBody, ReceivedRequest } from '../http/request.ts'
import { beforeProxy, type HeaderLine, type ProxyOptions, validateProxyOptions } from './proxy.ts'

export interface FromFetchOptions extends ProxyOptions {
  /**
   * the Host that the sender signed. `'header'`: the Host header alone, for a platform that rewrites the URL (Next.js);
   * as the proxy says in X-Forwarded-Host; or a fixed name. By default the Host header, which must agree with the URL
   */
  host?: 'header' | 'x-forwarded-host' | (string & {})
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
 * Host must be the authority of `request.url`, by which a handler may well go: a request line with an absolute URL can
 * name another one. When they differ, both are handed on, and the host check refuses (`host-repeated`). Where the
 * platform itself changes the URL, say so: `host: 'header'`.
 *
 * @throws TypeError for a body that was read already when no raw bytes are given, for anything that is not a Request,
 *   and for a bad option; never for what a sender sends
 */
export function fromFetchRequest(request: Request, options: FromFetchOptions = {}): ReceivedRequest {
  assertFetchRequest(request)
  const own = validateFetchOptions(options)
  const { scheme, authority, target } = splitUrl(request.url)
  return beforeProxy(
    {
      method: request.method,
      target,
      headers: headerLines(request.headers, own.host === 'header' ? undefined : { scheme, authority }),
      body: bodyOf(request, own.body),
      https: scheme === 'https'
    },
    own
  )
}

/** @throws TypeError for a bad option */
export const validateFetchOptions = (options: FromFetchOptions): Partial<FromFetchOptions> =>
  validateProxyOptions(options, 'fromFetchRequest', ['body', 'https', 'host', 'prefix'], ['header'])

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

/**
 * Runtimes that hide Host, as HTTP/2 has none, have built the URL from what stood for it. A Host that names another
 * place than the URL is followed by what the URL names.
 */
function headerLines(headers: Headers, url: { scheme: string; authority: string } | undefined): HeaderLine[] {
  const lines = [...headers]
  if (url === undefined || url.authority === '') return lines
  const host = headers.get('host')
  const isSame = host !== null && withoutPort(host, url.scheme) === withoutPort(url.authority, url.scheme)
  return isSame ? lines : [...lines, ['host', url.authority]]
}

/** In lower case, without the default port of the scheme (RFC 9110 section 4.2.3). */
const withoutPort = (authority: string, scheme: string): string =>
  authority.toLowerCase().replace(scheme === 'https' ? /:443$/ : /:80$/, '')

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
