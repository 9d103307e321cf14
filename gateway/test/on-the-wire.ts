import type { ReceivedRequest } from 'signed-requests'
import type { Vector } from '../../test/support/vectors.ts'
import { chunked } from './attempts.ts'

const CRLF = '\r\n'

export interface OnTheWire {
  octets: Buffer
  /** less comes than was announced: the sender dies there */
  isCutOff: boolean
  /** why a request on a wire cannot be this one; its octets are sent all the same */
  notCarried: string | undefined
}

/** The octets of a vector's request. */
export function onTheWire({ request, json }: Vector): OnTheWire {
  const { method, target, body } = json.request
  const { headers } = json.request
  const isBroken = body !== null && 'error' in body
  const bytes = isBroken ? Buffer.from('{') : bytesOf(request)
  const named = (name: string) => headers.filter(([header]) => header.toLowerCase() === name)
  const length = named('content-length')[0]?.[1]
  const isChunked = bytes.length > 0 && length === undefined
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    // A body needs a framing; this one is not among what was signed.
    ...(isChunked ? ['Transfer-Encoding: chunked'] : []),
    '',
    ''
  ]
  const content = isChunked ? chunked(bytes.toString('latin1')) : bytes.toString('latin1')
  return {
    octets: Buffer.from(lines.join(CRLF) + content, 'latin1'),
    isCutOff: isBroken || Number(length ?? 0) > bytes.length,
    notCarried: isBroken ? undefined : reasonOf(method, target, headers, length, bytes.length)
  }
}

export const bytesOf = ({ body }: ReceivedRequest): Buffer => Buffer.from((body as Uint8Array | null) ?? [])

function reasonOf(
  method: string,
  target: string,
  headers: readonly (readonly [string, string])[],
  length: string | undefined,
  size: number
): string | undefined {
  const text = [method, target, ...headers.flat()].join('')
  if (/[^\x00-\xff]/.test(text)) return 'a character that is not an octet'
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(text)) return 'a control character: HTTP ends a line there, or has none'
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(method)) return 'a method that is not a token'
  if (!KNOWN_METHODS.test(method)) return 'a method that Node.js does not know'
  if (!/^[\x21-\x7e]+$/.test(target)) return 'a target with a space, empty or beyond ASCII'
  if (!/^(?:\/|https?:)/.test(target) && !(target === '*' && method === 'OPTIONS'))
    return 'a target that only CONNECT or OPTIONS has'
  if (headers.some(([name]) => !/^[!#$%&'*+.^_`|~\w-]+$/.test(name))) return 'a name that is not a token'
  if (!headers.some(([name]) => name.toLowerCase() === 'host')) return 'no Host, which HTTP/1.1 requires'
  if (length !== undefined && Number(length) !== size) return 'a body that is not as long as Content-Length'
  return undefined
}

const KNOWN_METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|LINK|PROPFIND|M-SEARCH)$/
