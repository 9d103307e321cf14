import { lineValues } from '../../http/fields.ts'
import { base64Digest } from '../../http/hash.ts'
import type { HeaderLine, ReceivedRequest } from '../../http/request.ts'
import type { VerifierOptions } from '../../options/options.ts'

/** One request of a capture, and notes for a person on how it was read. */
export interface Entry {
  request: ReceivedRequest & { readonly headers: readonly HeaderLine[] }
  /** the request had a body, and the capture does not show it: `request.body` is null */
  isBodyMissing: boolean
  /** what the capture itself says about the receiver; only a fixture does */
  options: Partial<VerifierOptions>
  notes: readonly string[]
  /** of a vector */
  name?: string
}

/** The requests that were found in a file. */
export interface Capture {
  /** as messages name it, such as `a curl -v dump` */
  format: string
  entries: readonly Entry[]
  notes: readonly string[]
}

/** More requests than anyone looks through. */
export const MAX_ENTRIES = 10_000

interface Found {
  method: string
  target: string
  headers: readonly HeaderLine[]
  /** undefined: the format does not show it, or the file has none */
  body: Uint8Array | undefined
  https?: boolean
  notes?: readonly string[]
}

/**
 * An entry whose body may be missing. It counts as sent over TLS unless the capture says otherwise: what was captured
 * in clear text was behind a proxy that ended TLS.
 */
export function entryOf({ method, target, headers, body, https = true, notes = [] }: Found): Entry {
  return {
    request: { method, target, headers, body: body ?? null, https },
    isBodyMissing: (body === undefined || body.length === 0) && hadBody(headers),
    options: {},
    notes
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
