type UnknownObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is UnknownObject => typeof value === 'object' && value !== null

const isNodeRequest = (value: unknown): boolean => isObject(value) && Array.isArray(value['rawHeaders'])

const isFetchRequest = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['url'] === 'string' &&
  isObject(value['headers']) &&
  typeof value['headers']['get'] === 'function'

/**
 * The call to write instead of `verify(req)`, when the argument is a framework's request, its context or a Lambda
 * event. Used only for the error message, when the argument is not a received request.
 */
export function adapterCallFor(request: unknown): { what: string; call: string } | undefined {
  if (!isObject(request)) return undefined
  if (isNodeRequest(request))
    return { what: "Node's request (node:http, Express, Nest)", call: 'fromNodeRequest(req)' }
  if (isNodeRequest(request['raw']))
    return { what: "Fastify's request", call: 'fromNodeRequest(request.raw)' }
  if (isFetchRequest(request)) return { what: 'a fetch Request', call: 'fromFetchRequest(request)' }

  // Contexts: Koa's ctx and its request have `req` of Node, Hono's c has `req.raw`, SvelteKit's event `request`.
  const { req, request: inner } = request
  if (isNodeRequest(req)) return { what: "Koa's context", call: 'fromNodeRequest(ctx.req)' }
  if (isObject(req) && isFetchRequest(req['raw']))
    return { what: "Hono's context", call: 'fromFetchRequest(c.req.raw)' }
  if (isFetchRequest(request['raw'])) return { what: "Hono's request", call: 'fromFetchRequest(c.req.raw)' }
  if (isFetchRequest(inner))
    return { what: 'an event with a fetch Request', call: 'fromFetchRequest(event.request)' }

  const isLambdaEvent =
    isObject(request['requestContext']) ||
    typeof request['httpMethod'] === 'string' ||
    typeof request['rawPath'] === 'string'
  return isLambdaEvent ? { what: 'a Lambda event', call: 'fromLambdaEvent(event)' } : undefined
}
