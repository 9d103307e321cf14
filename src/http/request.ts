import { describe } from '../mistakes/describe.ts'
import { adapterCallFor } from './framework-request.ts'

export type HeaderLine = readonly [name: string, value: string]

/** Header lines as received: pairs in order (so repeats are seen), or a record as `node:http` makes it. */
export type ReceivedHeaders =
  | Iterable<HeaderLine>
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** The bytes of a body, available or still to be read. A string is taken as UTF-8; null means no body. */
export type ReceivedBody = Uint8Array | string | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null

/** An HTTP request as it arrived, before anything parsed, decoded or rebuilt it. */
export interface ReceivedRequest {
  /** as received, in its own case */
  method: string
  /** the request-target byte for byte: path and query, never rebuilt through URL */
  target: string
  /** every line as received, Host too */
  headers: ReceivedHeaders
  /** a stream is read only after the signature over the head has been verified */
  body: ReceivedBody
  /** did it arrive over TLS */
  https: boolean
  /** an adapter's notes for the evidence of a failed check; no check depends on them */
  forwarded?: ForwardedNotes | undefined
}

/** By the option that names it: a forwarding header that an adapter was told to trust and could not use. */
export interface ForwardedNotes {
  https?: ForwardedNote
  host?: ForwardedNote
}

export interface ForwardedNote {
  header: string
  /** all its values: none, several, or one that is not usable */
  received: readonly string[]
}

/** Throws for what only the receiver's own code can get wrong; nothing a sender sends causes this error. */
export function assertReceivedRequest(request: ReceivedRequest): void {
  const problem = problemOf(request)
  if (problem === undefined) return
  const adapter = adapterCallFor(request)
  throw new TypeError(
    adapter === undefined
      ? problem
      : `verify() got ${adapter.what}: an adapter converts it byte for byte, so write verify(${adapter.call})`
  )
}

/** What is wrong, and what to pass instead. */
function problemOf(request: ReceivedRequest): string | undefined {
  if (typeof request !== 'object' || request === null || 'then' in request) {
    return (
      `verify() got ${describe(request)} and takes { method, target, headers, body, https }: pass what ` +
      'fromNodeRequest(req), fromFetchRequest(request) or fromLambdaEvent(event) returns'
    )
  }
  const { method, target, headers, body, https } = request
  if (typeof method !== 'string')
    return `request.method must be a string, such as "POST", and is ${describe(method)}`
  if (typeof target !== 'string') {
    return (
      'request.target must be the request-target as received, such as "/hook?id=1" (req.url), and is ' +
      describe(target)
    )
  }
  if (typeof headers !== 'object' || headers === null) {
    return (
      'request.headers must be an iterable of [name, value] pairs or a record of names to values, and is ' +
      describe(headers)
    )
  }
  if (typeof https !== 'boolean') {
    return `request.https must be true or false (did the request arrive over TLS?), and is ${describe(https)}`
  }
  return problemOfBody(body)
}

function problemOfBody(body: unknown): string | undefined {
  if (typeof body === 'string' || body === null || body instanceof Uint8Array) return undefined
  if (typeof body === 'object' && (Symbol.asyncIterator in body || 'getReader' in body)) return undefined
  if (body === undefined) return 'request.body is undefined: pass the raw bytes, or null for no body'
  if (body instanceof ArrayBuffer)
    return 'request.body is an ArrayBuffer: pass its bytes, new Uint8Array(buffer)'
  return (
    `request.body is ${describe(body)} and not raw bytes (is it a parsed body?): the digest is over the bytes as ` +
    'sent, so pass a Uint8Array, a string or the stream, taken before any body parser ran'
  )
}
