import { createServer, type IncomingMessage, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { LambdaEvent } from '../../../src/index.ts'

type ToEvent = (req: IncomingMessage, body: Buffer) => LambdaEvent
type Handler = (event: LambdaEvent, context: unknown) => Promise<{ statusCode: number }>

/** Starts a gateway on loopback: makes an event of each request, and an answer of the handler's result. */
export function createGateway(toEvent: ToEvent, handler: Handler): Server {
  return createServer(async (req, res) => {
    // The event goes through JSON, as it reaches a function.
    const event: LambdaEvent = JSON.parse(JSON.stringify(toEvent(req, await buffer(req))))
    const { statusCode } = await handler(event, {})
    res.writeHead(statusCode).end()
  })
}

const splitTarget = ({ url = '' }: IncomingMessage): [path: string, query: string] => {
  const at = url.indexOf('?')
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}

/** Returns each name with the values of its lines. */
const multiValues = (entries: Iterable<readonly [string, string]>): Record<string, string[]> => {
  const lists: Record<string, string[]> = {}
  for (const [name, value] of entries) lists[name] = [...(lists[name] ?? []), value]
  return lists
}

/** Returns lower-case names; repeats are joined by commas. */
const joinedHeaders = ({ headersDistinct }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, values!.join()]))

const isText = (req: IncomingMessage) =>
  /^(?:text\/|application\/(?:json|xml|javascript))/.test(req.headers['content-type'] ?? '')

const bodyOf = (body: Buffer, base64: boolean) => ({
  body: body.length === 0 ? null : body.toString(base64 ? 'base64' : 'utf8'),
  isBase64Encoded: base64
})

const API = 'id.execute-api.eu-central-1.amazonaws.com'

/**
 * Makes an event of API Gateway, REST API, on its own domain: stage only in requestContext.path, query decoded, no
 * Content-Length.
 */
export const restApiEvent =
  (base64: boolean): ToEvent =>
  (req, body) => {
    const [path, query] = splitTarget(req)
    const lines = req.rawHeaders.flatMap((name, i, all) => (i % 2 === 0 ? [[name, all[i + 1]!] as const] : []))
    const pairs = lines.filter(([name]) => name.toLowerCase() !== 'content-length')
    const parameters = [...new URLSearchParams(query)]
    return {
      resource: '/{proxy+}',
      path: path.replace(/^\/[^/]+/, ''),
      httpMethod: req.method ?? '',
      headers: Object.fromEntries(pairs),
      multiValueHeaders: multiValues(pairs),
      queryStringParameters: query === '' ? null : Object.fromEntries(parameters),
      multiValueQueryStringParameters: query === '' ? null : multiValues(parameters),
      requestContext: { path, stage: path.split('/')[1] ?? '', domainName: API, httpMethod: req.method },
      ...bodyOf(body, base64)
    }
  }

/** Makes an event of API Gateway, HTTP API, payload format 2.0: the path is decoded, the query is not. */
export const httpApiEvent: ToEvent = (req, body) => {
  const [path, query] = splitTarget(req)
  const event = functionUrlEvent(req, body)
  const requestContext = { ...event.requestContext, domainName: API, stage: '$default' }
  return { ...event, rawPath: decodeURIComponent(path), rawQueryString: query, requestContext }
}

/** Makes an event of a function URL: format 2.0 with the path as sent. */
export const functionUrlEvent: ToEvent = (req, body) => {
  const [rawPath, rawQueryString] = splitTarget(req)
  const { cookie, ...headers } = joinedHeaders(req)
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    ...(cookie !== undefined && { cookies: cookie.split('; ') }),
    headers,
    requestContext: {
      domainName: 'id.lambda-url.eu-central-1.on.aws',
      stage: '$default',
      http: { method: req.method ?? '', path: rawPath, protocol: 'HTTP/1.1' }
    },
    ...bodyOf(body, !isText(req))
  }
}
