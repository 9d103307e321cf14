import { UsageError } from '../../flags/usage-error.ts'
import type { ReceivedBody, VerifierOptions } from '../../src/index.ts'
import {
  type AdapterRequest,
  base64Digest,
  decodeBody,
  type HeaderLine,
  lineValues,
  NOT_IN_THE_CAPTURE,
  splitAbsoluteUrl
} from '../../src/internal/index.ts'

/** One request of a capture. */
export interface Entry {
  request: AdapterRequest
  /** the reason why the capture does not have the bytes of the body that the request had */
  missingBody?: string | undefined
  /** whether the captured program adds the Content-Length of a body that the capture does not have */
  addsLength?: boolean
  /** the receiver's options in the capture; only a fixture has them */
  options?: Partial<VerifierOptions>
  /** for a person, about the way in which it was read */
  notes: readonly string[]
  /** the time of its arrival in milliseconds, if the capture has it; a fixture has it in its options */
  time?: number
  /** the name of a vector */
  name?: string
  /** the code with which the receiver refused it; a recorded fixture has it */
  refusedWith?: string | undefined
  /** what decides on the body once the entry is chosen; `completeEntry` uses it up */
  doubts?: Doubts
}

/** Why the body of an entry may not be the one that was sent. */
interface Doubts {
  /** other candidates for the body, each with a note: the one that has the digest is taken, or else the last */
  readonly otherBodies?: Iterable<readonly [body: Uint8Array, note: string]> | undefined
  /** the reason why the bytes may differ from those sent; a body that has the digest counts all the same */
  readonly lostBody?: string | undefined
}

/** Limits the requests of a capture to more than anyone looks through. */
export const MAX_ENTRIES = 10_000

/**
 * Limits that no request reaches, and that keep a file of 16 MB from taking more than seconds, or much memory: of JSON
 * the values and how deep they are nested, of a head the characters and the header lines, of a body the chunks, of a
 * command the words, quotes and escapes.
 */
const LIMITS = {
  'JSON values': 300_000,
  'levels of nested JSON': 200,
  'characters before the body': 4 * 2 ** 20,
  'header lines': 250_000,
  chunks: 250_000,
  'parts of a command': 1_000_000
} as const

/** Refuses a count above its limit. @throws UsageError */
export function assertWithin(unit: keyof typeof LIMITS, count: number): void {
  if (count <= LIMITS[unit]) return
  const most = LIMITS[unit].toLocaleString('en')
  throw new UsageError(`the file has more than ${most} ${unit}: save the one request in a file of its own`)
}

/** Counts the parts of one file, however many requests they are in. @throws UsageError above the limit */
export type Count = (unit: keyof typeof LIMITS, more?: number) => void

export function createCount(): Count {
  const counts = new Map<string, number>()
  return (unit, more = 1) => {
    const count = (counts.get(unit) ?? 0) + more
    counts.set(unit, count)
    assertWithin(unit, count)
  }
}

/** A request in the form in which a format shows it. */
export interface Captured extends Omit<AdapterRequest, 'body' | 'https'>, Doubts {
  body?: ReceivedBody
  https?: boolean
  /** of a URL or of pseudo-headers: the Host, when there is no such header (RFC 9113 section 8.3.1) */
  authority?: string | undefined
  protocol?: string | undefined
  notes?: readonly string[]
}

/**
 * Makes an entry. It counts as sent over TLS unless the capture says otherwise: a request that was captured in clear
 * text was behind a proxy that ended TLS.
 */
export function entryOf(captured: Captured): Entry {
  const { body = null, otherBodies, lostBody, authority, protocol, notes = [], ...request } = captured
  const https = protocol?.toLowerCase() !== 'http'
  const hasHost = authority === undefined || lineValues(request.headers, 'host').length > 0
  assertWithin('header lines', request.headers.length)
  const headers: readonly HeaderLine[] = hasHost ? request.headers : [['Host', authority], ...request.headers]
  return { request: { https, ...request, headers, body }, notes, doubts: { otherBodies, lostBody } }
}

/**
 * Finds the body of the entry that was chosen, which may be missing. Other bodies are tried for that entry alone: each
 * may be as long as the file.
 */
export function completeEntry(entry: Entry): Entry {
  const { doubts, ...complete } = entry
  if (doubts === undefined) return entry
  const { otherBodies = [], lostBody } = doubts
  const { body, headers } = entry.request
  const digests = digestsIn(headers)
  let [chosen, note]: readonly [ReceivedBody | null, note: string] = [body, '']
  let isRight = hasDigest(digests, body ?? '')
  for (const other of isRight ? [] : otherBodies) {
    ;[chosen, note] = other
    isRight = hasDigest(digests, chosen)
    if (isRight) break
  }
  // A missing body has a digest; where that itself is missing, the body does not matter.
  const isLost = digests !== '' && !lineValues(headers, 'content-length').includes('0')
  const isEmpty = chosen === null || (chosen as { length?: number }).length === 0
  const missing = isEmpty && isLost ? 'the capture does not have the body' : lostBody
  const isMissing = !isRight && missing !== undefined
  return {
    ...complete,
    request: { ...entry.request, body: isMissing ? MISSING_BODY : chosen },
    missingBody: isMissing ? missing : undefined,
    // If the body is missing, none of the other bodies was taken, and the note on one does not apply.
    notes: isMissing || note === '' ? entry.notes : [...entry.notes, note]
  }
}

/** Replaces a body that the capture does not have. It is read only after the signature has verified. */
const MISSING_BODY = decodeBody({ error: NOT_IN_THE_CAPTURE })

/** Joins all digests that the sender wrote, by either standard. */
export const digestsIn = (headers: readonly HeaderLine[]): string =>
  ['digest', 'content-digest'].flatMap(name => lineValues(headers, name)).join()

/** Returns whether the digest of this body is among them. */
export const hasDigest = (digests: string, body: ReceivedBody & {}): boolean =>
  digests !== '' &&
  (typeof body === 'string' || body instanceof Uint8Array) &&
  (['sha256', 'sha512'] as const).some(name =>
    digests.includes(base64Digest(name, typeof body === 'string' ? Buffer.from(body) : body))
  )

export const isSigned = ({ request }: Entry): boolean =>
  ['signature', 'signature-input'].some(name => lineValues(request.headers, name).length > 0)

/** Splits off the pseudo-headers of HTTP/2 (RFC 9113 section 8.3.1) from the other headers. */
export function splitPseudoHeaders(lines: readonly HeaderLine[]) {
  // A second pseudo-header is malformed (RFC 9113 section 8.3), and so is a header of its name: it stays among the
  // headers.
  const first = [':method', ':path', ':authority', ':scheme'].map(name => lines.find(line => line[0] === name))
  const [method, target, authority, protocol] = first.map(line => line?.[1])
  return { method, target, authority, protocol, headers: lines.filter(line => !first.includes(line)) }
}

/** Returns the target of a URL, and protocol and authority, without a user name, of an absolute one. */
export function splitUrl(url: string) {
  const { scheme: protocol, authority, target = url } = splitAbsoluteUrl(url) ?? {}
  return { target, protocol, authority: authority?.slice(authority.lastIndexOf('@') + 1) }
}
