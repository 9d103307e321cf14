import { linesOf } from '../../core/http/fields.ts'
import type { HeaderLine, ReceivedRequest } from '../../core/http/request.ts'
import { atCaller, mistake, validateCall } from '../../core/mistakes.ts'
import { type AdapterRequest, PROXY_OPTIONS, type ProxyOptions, prepareProxy } from '../proxy.ts'

/** The parts of the event that are used: API Gateway (payload formats 1.0 and 2.0), function URL or load balancer. */
export interface LambdaEvent {
  version?: string | undefined
  httpMethod?: string | undefined
  path?: string | undefined
  rawPath?: string | undefined
  rawQueryString?: string | undefined
  headers?: LambdaRecord<string>
  multiValueHeaders?: LambdaRecord<readonly string[]>
  cookies?: readonly string[] | null | undefined
  queryStringParameters?: LambdaRecord<string>
  multiValueQueryStringParameters?: LambdaRecord<readonly string[]>
  requestContext?: {
    path?: string | undefined
    stage?: string | undefined
    domainName?: string | undefined
    http?: { method: string } | undefined
    elb?: object | undefined
  }
  body?: string | null | undefined
  isBase64Encoded?: boolean | undefined
}

/** Headers or parameters of an event by their names. */
export type LambdaRecord<T> = Readonly<Record<string, T | undefined>> | null | undefined

/**
 * Makes a received request from the event of an AWS Lambda function behind an API Gateway REST API or HTTP API, a
 * function URL or an Application Load Balancer. `https` is true, except for a load balancer, which may listen without
 * TLS.
 *
 * Only a function URL passes the target byte for byte. Otherwise it is rebuilt from the event, and a sender that wrote
 * it in another way is refused:
 * - REST API, payload format 1.0: the path as sent; the query string from its decoded parameters, percent-encoded again
 *   (`a=1&b=x%20y`). Equal names are adjacent. Names that are whole numbers come first, in numeric order, as in any
 *   JavaScript object: a sender that wrote `?b=1&2=x` is refused.
 * - HTTP API: the query string as sent (format 2.0). The path was decoded once by API Gateway and is percent-encoded
 *   again, `%` too: the path `/a b` of an event can only have been sent as `/a%20b`, and `/a%20b` as `/a%2520b`. A path
 *   sent with `%2F`, `%3F` or an escape that was not needed is refused. Behind a custom domain the stage name is
 *   removed. The key of an API mapping is not in format 2.0: choose format 1.0, or give it as `options.prefix`. Without
 *   either, a request signed for `/hook` is accepted at `/key/hook` too, because the event does not say which it was.
 *
 * REST APIs drop Content-Length; it is restored from the length of the body. A body that is not text arrives intact
 * only if API Gateway treats it as binary (`binaryMediaTypes` of a REST API).
 *
 * @throws TypeError for anything that is not such an event, for a body that was parsed, and for a bad option; never
 *   for what a sender sends
 * @example
 * ```ts
 * import { createVerifier, fromLambdaEvent, httpStatus, type LambdaEvent } from 'signed-requests'
 *
 * const verify = createVerifier({ serviceDomain: 'service.example', hosts: 'hooks.example.com', accounts: '1234' })
 * export async function handler(event: LambdaEvent) {
 *   const verdict = await verify(fromLambdaEvent(event))
 *   return { statusCode: httpStatus(verdict) }
 * }
 * ```
 */
export function fromLambdaEvent(event: LambdaEvent, options: ProxyOptions = {}): ReceivedRequest {
  const [undoProxy] = validateCall(fromLambdaEvent, 'fromLambdaEvent', options, PROXY_OPTIONS, own => [
    () => prepareProxy(own)
  ])
  return atCaller(fromLambdaEvent, () => undoProxy(readLambdaEvent(event)))
}

/** Returns the request as it arrived at AWS. */
export function readLambdaEvent(event: LambdaEvent): AdapterRequest {
  const { version, httpMethod, path, rawPath, requestContext, body = null } = (event ?? {}) as LambdaEvent
  const { http, elb, domainName } = requestContext ?? {}
  const method = http?.method ?? httpMethod
  let target = rawPath ?? path
  if (typeof method !== 'string' || typeof target !== 'string')
    throw mistake(
      'fromLambdaEvent() got',
      event,
      'it takes the event of an HTTP request: the first argument of the handler, unchanged; ' +
        'for a Request use fetchHandler(), for req and res of node:http nodeHandler()'
    )
  if (body !== null && typeof body !== 'string')
    throw mistake(
      'event.body is',
      body,
      'verify before middy httpJsonBodyParser or the like',
      () => 'a parsed body, and the digest is over the bytes as sent'
    )
  const isLoadBalancer = elb !== undefined
  const isRestApi = !isLoadBalancer && version === undefined && rawPath === undefined
  const isHttpApi = !isLoadBalancer && !isRestApi && !domainName?.includes('.lambda-url.')
  // A REST API leaves the stage out of `path`, where there is one.
  if (isRestApi) target = requestContext?.path ?? target
  if (isHttpApi) target = encodePath(withoutStage(target, requestContext))
  // A load balancer does not decode.
  const encode = isLoadBalancer ? String : encodeParameter
  const parameters = pairsOf(event.multiValueQueryStringParameters, event.queryStringParameters)
  const query = event.rawQueryString ?? parameters.map(pair => pair.map(encode).join('=')).join('&')
  const bytes = body !== null && event.isBase64Encoded === true ? Buffer.from(body, 'base64') : body
  const headers = pairsOf(event.multiValueHeaders, event.headers)
  const has = (name: string) => headers.some(([header]) => header.toLowerCase() === name)
  if (event.cookies && !has('cookie')) headers.push(['Cookie', event.cookies.join('; ')])
  if (isRestApi && bytes !== null && !has('content-length'))
    headers.push(['Content-Length', String(Buffer.byteLength(bytes))])
  return {
    method,
    target: query === '' ? target : `${target}?${query}`,
    headers,
    body: bytes,
    https: !isLoadBalancer
  }
}

/**
 * Format 2.0 has the name of the stage in front of the path, even behind a custom domain, where the sender did not
 * write it. The stage `$default` is served at the root of the API: its name is never in front, so a sender that writes
 * `/$default/hook` has written a path.
 */
function withoutStage(path: string, requestContext: LambdaEvent['requestContext']): string {
  const { http, stage = '', domainName = '' } = requestContext ?? {}
  const isCustomDomain = http !== undefined && domainName !== '' && !domainName.includes('.execute-api.')
  const hasStage = stage !== '' && stage !== '$default' && `${path}/`.startsWith(`/${stage}/`)
  return isCustomDomain && hasStage ? path.slice(stage.length + 1) || '/' : path
}

/**
 * Encodes what a path cannot contain (RFC 3986 section 3.3). "%" is encoded as well: API Gateway has decoded every
 * escape, and two paths that a handler can tell apart must not give the same signed target.
 */
const encodePath = (path: string): string => percentEncode(path, /[^A-Za-z0-9\-._~!$&'()*+,;=:@/]/gu)

/** Encodes all but unreserved characters (RFC 3986 section 2.3). */
const encodeParameter = (text: string): string => percentEncode(text, /[^A-Za-z0-9\-._~]/gu)

/** Encodes as encodeURIComponent does, and does not throw for half a surrogate pair. */
const percentEncode = (text: string, characters: RegExp): string =>
  text.replace(characters, character => Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&'))

/** Returns names and values of the lists or, in an event of the other form, of the single values. */
const pairsOf = (lists: LambdaRecord<readonly string[]>, singles: LambdaRecord<string>): HeaderLine[] =>
  [...linesOf(lists && Object.keys(lists).length > 0 ? lists : (singles ?? {}))].filter(
    (line): line is [string, string] => line[1] !== null
  )
