import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { UsageError } from '../flags/usage-error.ts'
import { type AdapterRequest, type Cause, CDN_HEADERS, ERRORS, escapeText, findCause } from '../src/internal/index.ts'

type Sent = Pick<AdapterRequest, 'method' | 'headers'> & {
  body: Uint8Array | null
  /** path and query, byte for byte; those of the URL where they are left out */
  path?: string
}

export type Response = Awaited<ReturnType<typeof exchange>>

const MAX_SHOWN = 16_384

/** milliseconds */
export const RESPONSE_TIMEOUT = 30_000

/**
 * milliseconds to wait for the part of a body that is shown: the head has said what matters, and a body may never end
 */
const BODY_TIMEOUT = 1000

/** RFC 9110 section 15.2: any number may come before the final response. */
const MAX_INTERIM = 100

/**
 * Sends one request on a connection of its own, with these headers in this order and case. Redirects are not followed.
 * Rejects when there is no response. Of the body, at most the part that is shown is read.
 */
export async function exchange(url: URL, sent: Sent, tls: RequestOptions = {}) {
  const { method, headers, body, path = `${url.pathname}${url.search}` } = sent
  const signal = AbortSignal.timeout(RESPONSE_TIMEOUT)
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const request = send(url, { ...tls, method, path, headers: headers.flat(), agent: false, signal })
  request.end(body)
  const response = await responseTo(request)
  const { statusCode: status = 0, statusMessage: statusText = '', headers: received } = response
  let shown = Buffer.alloc(0)
  const timer = setTimeout(() => response.destroy(), BODY_TIMEOUT)
  try {
    for await (const chunk of response) {
      shown = Buffer.concat([shown, chunk])
      if (shown.length >= MAX_SHOWN) break
    }
  } catch {
    // A body that is cut short does not matter: the head counts.
  } finally {
    clearTimeout(timer)
  }
  return { method, url, path, status, statusText, headers: received, body: shown.subarray(0, MAX_SHOWN) }
}

/** Resolves to the response; rejects when there is none. A change to another protocol is a response, too. */
function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve)
    // 101, and 2xx to CONNECT: what follows on the connection is another protocol.
    for (const event of ['upgrade', 'connect'] as const)
      request.on(event, response => {
        resolve(response)
        response.destroy()
      })
    let interim = 0
    request.on('information', () => {
      if (++interim > MAX_INTERIM) request.destroy(new Error('only interim responses (1xx), without end'))
    })
    let problem = new Error('the connection ended without an answer')
    request.on('error', error => {
      problem = error
    })
    // A server that responds before the body has arrived may close the connection; its response counts.
    request.on('close', () => setTimeout(() => reject(problem), 100))
  })
}

/** Describes an error: Node's errors have a message for a person, and most have a code. */
export function describeError(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code === 'ABORT_ERR') return `nothing within ${RESPONSE_TIMEOUT / 1000} s`
  const words = WORDS[code.replace(/^(HPE|ERR_SSL)_.*/, '$1')] ?? message
  return code === '' ? words : `${words} (${code})`
}

const NOT_TLS = 'it does not speak TLS as expected: is it http?'

const WORDS: Readonly<Record<string, string>> = {
  ...ERRORS,
  EADDRINUSE: 'another program uses this port',
  HPE: 'that port does not speak HTTP/1: perhaps TLS, which needs https in the URL',
  EPROTO: NOT_TLS,
  ERR_SSL: NOT_TLS
}

/**
 * Returns whether this is a refusal of this library: a 401 carries our challenge; 413 and 503 must not be HTML pages.
 */
export function isRefusal({ status, headers, body }: Response): boolean {
  if (status === 401) return /^signature *(?:,|$|headers=")/i.test(headers['www-authenticate'] ?? '')
  const isPage = /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(body.toString('latin1', 0, 100))
  return !isPage && (status === 413 || (status === 503 && headers['retry-after'] !== undefined))
}

/** Says what a response means that is not from this library, and who sent it. */
export function describeResponse(response: Response): string {
  const { headers, body } = response
  const { cause, fix } = findCause(RESPONSES, response)!
  const signs = SIGNS.flatMap(name => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}`]))
  const title = /<title>([^<]{1,80})/i.exec(body.toString('latin1', 0, 4000))?.[1]?.trim()
  if (title) signs.push(`page "${title}"`)
  const who = signs.length === 0 ? 'it does not say who answered' : `answered with ${signs.join(', ')}`
  return escapeText([cause, fix, who].filter(text => text !== '').join('; '), 600)
}

/** Headers in which a platform names itself or its error. */
const OF_PLATFORMS = [
  'x-amzn-errortype',
  'x-amz-apigw-id',
  'ngrok-error-code',
  'x-vercel-error',
  'x-azure-ref',
  'fly-request-id',
  'cf-mitigated'
] as const

/** Headers in which a program names itself, or where to go instead. */
const SIGNS: readonly string[] = [
  'location',
  'www-authenticate',
  'server',
  'x-powered-by',
  ...OF_PLATFORMS,
  ...CDN_HEADERS.map(name => name.toLowerCase())
]

/** Returns path and method, as a route has them. */
const routeOf = ({ method, path }: Response): string => `${method} ${path.replace(/\?.*/s, '')}`

/** The meaning of a response by a platform in front, by a word in its header. */
const byHeader = (
  name: (typeof OF_PLATFORMS)[number],
  word: RegExp,
  cause: Cause<Response>['cause'],
  fix: Cause<Response>['fix']
): Cause<Response> => ({ find: ({ headers }) => word.test(String(headers[name] ?? '')), cause, fix })

/** The meaning of a status, or of all that begin with this digit. */
const byStatus = (
  status: number,
  cause: Cause<Response>['cause'],
  fix: Cause<Response>['fix'] = ''
): Cause<Response> => ({
  find: response => response.status === status || Math.floor(response.status / 100) === status,
  cause,
  fix
})

/** Explains responses that are not from this library: first of platforms that name themselves, then by status. */
const RESPONSES: readonly Cause<Response>[] = [
  {
    find: ({ headers, body }) =>
      /^MissingAuthenticationToken/i.test(String(headers['x-amzn-errortype'] ?? '')) ||
      (headers['x-amz-apigw-id'] !== undefined && body.includes('Missing Authentication Token')),
    cause: response =>
      `API Gateway has no route for ${routeOf(response)}: that is what its "Missing Authentication Token" means`,
    fix: 'add the route with its method, deploy the stage, and write the stage into the URL'
  },
  {
    find: ({ headers }) => /^(?:AccessDenied|Forbidden|WafBlocked)/i.test(String(headers['x-amzn-errortype'] ?? '')),
    cause: 'API Gateway refuses it before the function: an authorizer, a resource policy, an API key or AWS WAF',
    fix: 'let this route pass without them: the signature is what is checked'
  },
  byHeader('x-amzn-errortype', /./, 'API Gateway answers, not the function', 'its log says why'),
  byHeader(
    'ngrok-error-code',
    /^ERR_NGROK_3200$/,
    'the ngrok tunnel is off',
    'start ngrok, and use the URL that it prints'
  ),
  byHeader(
    'ngrok-error-code',
    /^ERR_NGROK_8012$/,
    'ngrok is on, and nothing listens at the port that it forwards to',
    'start the receiver, or give ngrok its port'
  ),
  byHeader('ngrok-error-code', /./, 'ngrok answers, not the receiver', "look up the code in ngrok's documentation"),
  byHeader(
    'x-vercel-error',
    /NOT_FOUND$/,
    response => `Vercel has no deployment or no function at ${routeOf(response)}`,
    'compare the URL with that of the deployment'
  ),
  byHeader('x-vercel-error', /./, 'Vercel answers, not the function', 'the log of the deployment says why'),
  byHeader(
    'cf-mitigated',
    /./,
    'Cloudflare takes it for a bot and asks for a browser',
    'skip bot rules and challenges for this path'
  ),
  byStatus(101, 'it switched to another protocol without being asked'),
  byStatus(400, 'something before the verifier could not read the request: a body parser, or a proxy'),
  byStatus(401, 'something else asks for credentials, such as a login (our refusals have WWW-Authenticate: Signature)'),
  byStatus(403, 'something else forbids it: a CSRF filter, a firewall or a bot rule'),
  byStatus(
    404,
    response => `there is no route for ${routeOf(response)}`,
    'see where the handler is mounted, and which path a proxy passes on'
  ),
  byStatus(405, 'the route does not take this method'),
  byStatus(413, 'a body limit in front of the verifier'),
  byStatus(415, 'something before the verifier does not take this Content-Type'),
  byStatus(421, 'the server has no site for this Host'),
  byStatus(502, 'a proxy does not reach the application', 'is it running?'),
  byStatus(503, 'a maintenance page, or a server that is overloaded'),
  byStatus(504, 'a proxy timed out waiting for the application', 'is it running?'),
  byStatus(2, 'accepted without a signature, or a page such as a login form'),
  byStatus(
    3,
    'a redirect: the signature is for this host and path only, and a 301 or 302 turns POST into GET',
    'give the service the last URL'
  ),
  byStatus(4, 'something before the verifier refuses it, such as a CSRF filter or a rate limit'),
  byStatus(5, 'the application, or something before it, failed', 'its own log says why'),
  { cause: 'an unknown status', fix: '' }
]

/** Returns where the server of a URL listens. */
export const endpointOf = ({ hostname, port, protocol }: URL): { host: string; port: number } => ({
  host: hostname.replace(/[[\]]/g, ''),
  port: Number(port || (protocol === 'https:' ? 443 : 80))
})

/** @throws UsageError */
export function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  if (!ADDRESS.test(text)) throw new UsageError('URL must be an http or https URL, such as http://localhost:3000/hook')
  const hint = text.includes('://') ? '' : `: write http://${text}`
  throw new UsageError(`${text} is not an http or https URL${hint}`)
}

/**
 * Matches a host name with a dot or a port: messages may repeat it. Any other text can be a token in the wrong place.
 */
const ADDRESS = /^(?:[a-z]{2,10}:\/\/)?[a-z\d-]{1,30}(?:(?:\.[a-z\d-]{1,30})+(?::\d+)?|:\d+)(?:\/[\w./-]{0,60})?$/
