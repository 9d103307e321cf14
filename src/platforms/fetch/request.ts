import type { ReceivedBody, ReceivedRequest } from '../../core/http/request.ts'
import { normalizeHost, splitAbsoluteUrl } from '../../core/http/uri.ts'
import { atCaller, kindOf, mistake, validateCall } from '../../core/mistakes.ts'
import { PROXY_OPTIONS, type ProxyOptions, prepareProxy } from '../proxy.ts'

/** Options of `fromFetchRequest`; none is required. */
export interface FromFetchOptions extends ProxyOptions {
  /**
   * the Host that the sender signed. `'header'`: the Host header alone, for a platform that rewrites the URL (Next.js);
   * what the proxy says in X-Forwarded-Host; or a fixed name. By default the Host header, which must agree with the URL
   */
  host?: 'header' | 'x-forwarded-host' | (string & {}) | undefined
  /** the raw bytes, if you have read them already: `new Uint8Array(await request.arrayBuffer())` */
  body?: Uint8Array | string | undefined
}

const OPTIONS = ['body', ...PROXY_OPTIONS] as const

/**
 * Makes a received request from a `Request`: Hono (`c.req.raw`), Next.js route handlers, SvelteKit (`event.request`),
 * Bun, Deno, Cloudflare Workers.
 *
 * The target is taken from `request.url` byte for byte. The runtime built that URL from what it received and normalized
 * it (`/a/../b` becomes `/b`, a fragment is dropped), so a sender that signs such a target is refused. Repeated headers
 * are joined, so a repeated single-value header becomes invalid.
 *
 * `https` is the protocol of `request.url`. Some servers take it from the sender: `@hono/node-server` and Deno from a
 * request line with an absolute URL, Next.js from X-Forwarded-Proto. Set `options.https` there.
 *
 * Host must be the authority of `request.url`, which a handler may rely on: a request line with an absolute URL can
 * name another one. When they differ, both are passed on, and the host check refuses (`host-repeated`). If the platform
 * itself changes the URL, set `host: 'header'`.
 *
 * @throws TypeError for a body that was read already when no raw bytes are given, for anything that is not a Request,
 *   and for a bad option; never for what a sender sends
 * @example
 * ```ts
 * import { createVerifier, fromFetchRequest, refusalResponse } from 'signed-requests'
 *
 * const verify = createVerifier({ serviceDomain: 'service.example', hosts: 'hooks.example.com', accounts: '1234' })
 * export async function POST(request: Request): Promise<Response> {
 *   const verdict = await verify(fromFetchRequest(request))
 *   return verdict.status === 'verified' ? new Response(null, { status: 204 }) : refusalResponse(verdict)
 * }
 * ```
 */
export function fromFetchRequest(request: Request, options: FromFetchOptions = {}): ReceivedRequest {
  const [receive] = validateCall(fromFetchRequest, 'fromFetchRequest', options, OPTIONS, own => [
    () => fetchAdapter(own)
  ])
  return atCaller(fromFetchRequest, () => receive(request))
}

/** Prepares the options of `fromFetchRequest`, for a handler. */
export function fetchAdapter(options: Partial<FromFetchOptions>): (request: Request) => ReceivedRequest {
  const { https, host, prefix, body } = options
  const isHeader = host === 'header'
  const undoProxy = prepareProxy({ https, host: isHeader ? undefined : host, prefix })
  return request => {
    if (typeof request?.url !== 'string' || typeof request.headers?.get !== 'function')
      throw mistake(
        'fromFetchRequest() got',
        request,
        'it takes a Request: c.req.raw in Hono, event.request in SvelteKit; for node:http and Express use ' +
          'fromNodeRequest() or nodeHandler()'
      )
    const { scheme: protocol = 'http', authority = '', target = request.url } = splitAbsoluteUrl(request.url) ?? {}
    const normalized = (host: string) => normalizeHost(host, protocol)
    const isSameHost = isHeader || normalized(request.headers.get('host') ?? '') === normalized(authority)
    return undoProxy({
      method: request.method,
      target: target.startsWith('/') ? target : `/${target}`,
      // Runtimes that do not expose Host (HTTP/2 has none) build the URL from its replacement. Where they differ, there
      // are two.
      headers: isSameHost || authority === '' ? [...request.headers] : [...request.headers, ['host', authority]],
      body: bodyOf(request, body),
      https: protocol === 'https'
    })
  }
}

function bodyOf(request: Request, rawBody: unknown): ReceivedBody {
  if (rawBody instanceof Uint8Array || typeof rawBody === 'string') return rawBody
  if (rawBody !== undefined)
    throw mistake(
      'options.body is',
      rawBody,
      'pass new Uint8Array(await request.arrayBuffer()), not what request.json() or request.formData() made of them',
      value => `${kindOf(value)} and not raw bytes, and the digest is over the bytes as sent`
    )
  if (request.bodyUsed || request.body?.locked)
    throw mistake(
      'fromFetchRequest() got',
      request,
      'the request body was already read, and the digest is over the bytes as sent: call verify() first and use ' +
        'verdict.body, or read the body once with new Uint8Array(await request.arrayBuffer()) and pass it as ' +
        'options.body of fromFetchRequest()',
      () => 'a Request without its body'
    )
  return request.body
}
