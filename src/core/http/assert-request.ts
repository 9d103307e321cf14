import { kindOf, mistake } from '../mistakes.ts'
import type { ReceivedRequest } from './request.ts'

/** Throws for what only the receiver's own code can get wrong; nothing a sender sends causes this error. */
export function assertReceivedRequest(request: ReceivedRequest): void {
  const problem = problemOf(request)
  if (problem === undefined) return
  const [what, call] = ADAPTERS.find(([, , isIt]) => isIt(Object(request))) ?? []
  if (what === undefined) throw problem
  throw mistake('verify() got', request, `an adapter converts it byte for byte, so write verify(${call})`, () => what)
}

/** Names each part, and what it must be. */
const PARTS = [
  ['method', 'string', 'a string, such as "POST"'],
  ['target', 'string', 'the request-target as received, such as "/hook?id=1" (req.url)'],
  ['headers', 'object', 'an iterable of [name, value] pairs or a record of names to values'],
  ['https', 'boolean', 'true or false (did the request arrive over TLS?)']
] as const

/** Returns what is wrong, and what to pass instead. */
function problemOf(request: ReceivedRequest): TypeError | undefined {
  if (typeof request !== 'object' || request === null || 'then' in request) {
    const rule =
      'it takes { method, target, headers, body, https }, so pass what fromNodeRequest(req), ' +
      'fromFetchRequest(request) or fromLambdaEvent(event) returns'
    return mistake('verify() got', request, rule)
  }
  for (const [part, type, expected] of PARTS) {
    const value = request[part]
    if (typeof value !== type || value === null) return mistake(`request.${part} is`, value, `it must be ${expected}`)
  }
  return problemOfBody(request.body)
}

function problemOfBody(body: unknown): TypeError | undefined {
  if (typeof body === 'string' || body === null || body instanceof Uint8Array) return undefined
  if (typeof body === 'object' && (Symbol.asyncIterator in body || 'getReader' in body)) return undefined
  const start = 'request.body is'
  if (body === undefined) return mistake(start, body, 'pass the raw bytes, or null for no body')
  if (body instanceof ArrayBuffer)
    return mistake(start, body, 'pass its bytes, new Uint8Array(buffer)', () => 'an ArrayBuffer')
  const rule =
    'the digest is over the bytes as sent, so pass a Uint8Array, a string or the stream, taken before any body ' +
    'parser ran'
  return mistake(start, body, rule, value => `${kindOf(value)} and not raw bytes (is it a parsed body?)`)
}

/** Any object: the value that the caller passed may have any of these properties, of any type. */
interface Anything {
  readonly [name: string]: Anything | null | undefined
}

const isNode = (value: Anything | null | undefined): boolean => Array.isArray(value?.['rawHeaders'])

const isFetch = (value: Anything | null | undefined): boolean =>
  typeof value?.['url'] === 'string' && typeof value['headers']?.['get'] === 'function'

const isLambda = ({ requestContext, httpMethod, rawPath }: Anything): boolean =>
  [requestContext, httpMethod, rawPath].some(Boolean)

/** The call to write instead of `verify(req)`, by where frameworks keep the request of Node.js or of fetch. */
const ADAPTERS: readonly (readonly [what: string, call: string, isIt: (value: Anything) => boolean])[] = [
  ["Node's request (node:http, Express, Nest)", 'fromNodeRequest(req)', isNode],
  ["Fastify's request", 'fromNodeRequest(request.raw)', ({ raw }) => isNode(raw)],
  ['a fetch Request', 'fromFetchRequest(request)', isFetch],
  ["Koa's context", 'fromNodeRequest(ctx.req)', ({ req }) => isNode(req)],
  ["Hono's context", 'fromFetchRequest(c.req.raw)', ({ req }) => isFetch(req?.['raw'])],
  ["Hono's request", 'fromFetchRequest(c.req.raw)', ({ raw }) => isFetch(raw)],
  ['an event with a fetch Request', 'fromFetchRequest(event.request)', ({ request }) => isFetch(request)],
  ['a Lambda event', 'fromLambdaEvent(event)', isLambda]
]
