import { base64Digest } from '../../http/digest.ts'
import { lineValues } from '../../http/fields.ts'
import type { HeaderLine, ReceivedRequest } from '../../http/request.ts'
import type { VerifierOptions } from '../../options/options.ts'

/** One request of a capture. */
export interface Entry {
  request: Omit<ReceivedRequest, 'headers' | 'body'> & {
    readonly headers: readonly HeaderLine[]
    readonly body: ReceivedRequest['body']
  }
  /** why, when the request had a body and the capture does not have its bytes */
  missingBody?: string | undefined
  /** what may be the body too, when the one above does not match its digest, each with a note on what it is */
  otherBodies: readonly (readonly [body: Uint8Array, note: string])[]
  /** what the capture itself says about the receiver; only a fixture does */
  options: Partial<VerifierOptions>
  /** for a person, on how it was read */
  notes: readonly string[]
  /** when it was received, in milliseconds, where the capture says so */
  time?: number
  /** of a vector */
  name?: string
}

/** The requests that were found in a file. */
export interface Capture {
  /** as messages name it, such as `a curl -v dump` */
  format: string
  entries: readonly Entry[]
}

/** More requests than anyone looks through. */
export const MAX_ENTRIES = 10_000

type Found = Pick<Entry['request'], 'method' | 'target' | 'headers' | 'forwarded'> & {
  /** undefined: the format does not show it, or the file has none */
  body: ReceivedRequest['body'] | undefined
  https?: boolean
} & Partial<Omit<Entry, 'request'>>

/**
 * An entry whose body may be missing. It counts as sent over TLS unless the capture says otherwise: what was captured
 * in clear text was behind a proxy that ended TLS.
 */
export function entryOf({ method, target, headers, body, https = true, forwarded, ...rest }: Found): Entry {
  const isEmpty = !body || (body instanceof Uint8Array && body.length === 0)
  return {
    request: { method, target, headers, body: body ?? null, https, ...(forwarded && { forwarded }) },
    ...(isEmpty && hadBody(headers) && { missingBody: 'the capture does not have the body' }),
    otherBodies: [],
    options: {},
    notes: [],
    ...rest
  }
}

const EMPTY_DIGESTS = (['sha256', 'sha512'] as const).map(name => base64Digest(name, new Uint8Array(0)))

/** RFC 9112 section 6.3; without its headers, as over HTTP/2, the digest says whether there was one. */
function hadBody(headers: readonly HeaderLine[]): boolean {
  const [length] = lineValues(headers, 'content-length')
  if (length !== undefined) return length !== '0'
  if (lineValues(headers, 'transfer-encoding').length > 0) return true
  const digest = [...lineValues(headers, 'digest'), ...lineValues(headers, 'content-digest')].join()
  return digest !== '' && !EMPTY_DIGESTS.some(empty => digest.includes(empty))
}

/** With a Host line, where the capture has the host in a URL or a pseudo-header (RFC 9113 section 8.3.1). */
export const withHost = (host: string | undefined, headers: readonly HeaderLine[]): readonly HeaderLine[] =>
  host === undefined || lineValues(headers, 'host').length > 0 ? headers : [['Host', host], ...headers]

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
