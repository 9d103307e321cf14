import type { ReceivedRequest } from 'signed-requests'
import { isToken } from '../../src/core/http/fields.ts'
import type { Vector } from '../../test/support/vectors.ts'
import { chunked } from './attempts.ts'

export interface OnTheWire {
  octets: Buffer
  /** fewer octets come than were announced: the sender disconnects there */
  isCutOff: boolean
  /** the reason why no request on a wire can be this one; its octets are sent all the same */
  notCarried: string | undefined
}

const KNOWN_METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|LINK|PROPFIND|M-SEARCH)$/

/** Writes the octets of a vector's request. */
export function onTheWire({ request, json }: Vector): OnTheWire {
  const { method, target, body, headers } = json.request
  const isBroken = body !== null && 'error' in body
  const bytes = isBroken ? Buffer.from('{') : bytesOf(request)
  const lineOf = (name: string) => headers.find(([header]) => header.toLowerCase() === name)?.[1]
  const length = lineOf('content-length')
  const isChunked = bytes.length > 0 && length === undefined
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  // A body needs a framing header; this one is not signed.
  if (isChunked) lines.push('Transfer-Encoding: chunked')
  const content = isChunked ? chunked(bytes.toString('latin1')) : bytes.toString('latin1')
  const text = [method, target, ...headers.flat()].join('')
  const reasons: readonly [boolean, string][] = [
    [/[^\x00-\xff]/.test(text), 'a character that is not an octet'],
    [/[\x00-\x08\x0a-\x1f\x7f]/.test(text), 'a control character: HTTP ends a line there, or has none'],
    [!isToken(method), 'a method that is not a token'],
    [!KNOWN_METHODS.test(method), 'a method that Node.js does not know'],
    [!/^[\x21-\x7e]+$/.test(target), 'a target with a space, empty or beyond ASCII'],
    [!/^(?:\/|https?:)/.test(target) && method + target !== 'OPTIONS*', 'a target that only CONNECT or OPTIONS has'],
    [headers.some(([name]) => !isToken(name)), 'a name that is not a token'],
    [lineOf('host') === undefined, 'no Host, which HTTP/1.1 requires'],
    [Number(length ?? bytes.length) !== bytes.length, 'a body that is not as long as Content-Length']
  ]
  return {
    octets: Buffer.from([`${method} ${target} HTTP/1.1`, ...lines, '', content].join('\r\n'), 'latin1'),
    isCutOff: isBroken || Number(length ?? 0) > bytes.length,
    notCarried: isBroken ? undefined : reasons.find(([isSo]) => isSo)?.[1]
  }
}

export const bytesOf = ({ body }: ReceivedRequest): Buffer => Buffer.from((body as Uint8Array | null) ?? [])
