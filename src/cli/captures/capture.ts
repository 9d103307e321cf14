import type { AdapterRequest } from '../../adapters/proxy.ts'
import { base64Digest } from '../../http/digest.ts'
import { lineValues } from '../../http/fields.ts'
import type { HeaderLine } from '../../http/request.ts'
import type { VerifierOptions } from '../../options/options.ts'

/** One request of a capture. */
export interface Entry {
  request: AdapterRequest
  /** why, when the request had a body and the capture does not have its bytes */
  missingBody?: string | undefined
  /** what may be the body too, when the one above does not match its digest, each with a note on what it is */
  otherBodies: readonly (readonly [body: Uint8Array, note: string])[]
  /** what the capture itself says about the receiver; only a fixture does */
  options: Partial<VerifierOptions>
  /** for a person, on how it was read */
  notes: readonly string[]
  /** when it was received, in milliseconds, where the capture says so; a fixture says it in its options */
  time?: number
  /** of a vector */
  name?: string
}

/** More requests than anyone looks through. */
export const MAX_ENTRIES = 10_000

/**
 * A request as a format shows it; `authority` is that of a URL or a pseudo-header: the Host, when there is no such
 * header (RFC 9113 section 8.3.1).
 */
export type Captured = Omit<AdapterRequest, 'body' | 'https'> &
  Partial<AdapterRequest> & { authority?: string | undefined }

/**
 * An entry whose body may be missing. It counts as sent over TLS unless the capture says otherwise: what was captured
 * in clear text was behind a proxy that ended TLS.
 */
export function entryOf({ authority, headers: lines, ...captured }: Captured, more?: Partial<Entry>): Entry {
  const hasHost = authority === undefined || lineValues(lines, 'host').length > 0
  const headers: readonly HeaderLine[] = hasHost ? lines : [['Host', authority], ...lines]
  const request = { body: null, https: true, ...captured, headers }
  const isEmpty = request.body === null || (request.body as { length?: number }).length === 0
  return {
    request,
    ...(isEmpty && hadBody(headers) && { missingBody: 'the capture does not have the body' }),
    otherBodies: [],
    options: {},
    notes: [],
    ...more
  }
}

export const isSigned = ({ request }: Entry): boolean =>
  ['signature', 'signature-input'].some(name => lineValues(request.headers, name).length > 0)

const EMPTY_DIGESTS = (['sha256', 'sha512'] as const).map(name => base64Digest(name, new Uint8Array(0)))

/** RFC 9112 section 6.3; without its headers, as over HTTP/2, the digest says whether there was one. */
function hadBody(headers: readonly HeaderLine[]): boolean {
  const [length] = lineValues(headers, 'content-length')
  if (length !== undefined) return length !== '0'
  if (lineValues(headers, 'transfer-encoding').length > 0) return true
  const digest = [...lineValues(headers, 'digest'), ...lineValues(headers, 'content-digest')].join()
  return digest !== '' && !EMPTY_DIGESTS.some(empty => digest.includes(empty))
}

const PSEUDO_HEADER = /^:(?:method|path|authority|scheme)$/

/** The pseudo-headers of HTTP/2 (RFC 9113 section 8.3.1), and the other headers. */
export function splitPseudoHeaders(lines: readonly HeaderLine[]) {
  const pseudo = new Map<string, string>()
  const headers: HeaderLine[] = []
  for (const [name, value] of lines) {
    // Twice is malformed (RFC 9113 section 8.3): as a header it is, too.
    if (!PSEUDO_HEADER.test(name) || pseudo.has(name)) headers.push([name, value])
    else pseudo.set(name, value)
  }
  return { pseudo, headers }
}
