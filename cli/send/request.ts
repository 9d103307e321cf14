import { UsageError } from '../../flags/usage-error.ts'
import {
  checkRequest,
  type Fields,
  findDecompression,
  HOP_BY_HOP,
  lineValues,
  MAX_HEADER_LINES,
  plural
} from '../../src/internal/index.ts'
import { digestsIn, type Entry, hasDigest, splitUrl } from '../captures/capture.ts'

/** The parts of a captured request that are signed again. */
export interface TakenRequest {
  readonly method: string
  /** path and query, byte for byte */
  readonly target: string
  /** by name; undefined where the request had no such header, and must not get one */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer | null
  readonly accountHeader: string
  /** the value of the account header, where there is exactly one */
  readonly account: string | undefined
  /** for a person: the parts that were taken, and the others, with text of the capture */
  readonly notes: readonly string[]
}

/**
 * Headers that are made again for the request that is sent: those that are compared with its time, and those that
 * depend on its key or body.
 */
const MADE_NEW: ReadonlySet<string> = new Set([
  'host',
  'date',
  'signature',
  'signature-input',
  'digest',
  'content-digest',
  'content-length',
  'x-nonce'
])

/** Matches headers that proxies wrote on the way of the captured request: the new request takes another way. */
const BY_PROXIES = /^(?:forwarded|via|x-real-ip|x-forwarded-.+)$/

/** Matches a value that HTTP/1.1 can carry (RFC 9110 section 5.5), one octet per character. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Matches a target (RFC 9112 section 3.2): a path, or the asterisk of OPTIONS; no client sends white space or a control
 * character.
 */
const TARGET = /^(?:\/[\x21-\x7e\x80-\xff]*|\*)$/

/**
 * Takes the parts of a captured request that are signed again. A capture comes from outside: a request that is not
 * well-formed HTTP is not sent.
 *
 * @param replacement a body that replaces that of the capture
 * @throws UsageError for a request that is malformed, or whose body is not in the capture
 */
export function takeRequest(entry: Entry, accountHeader: string, replacement?: Buffer): TakenRequest {
  const { request } = entry
  const fields = checkWellFormed(entry)
  const { target } = splitUrl(request.target)
  if (!TARGET.test(target))
    throw new UsageError('the target in the capture cannot be sent: it must be a path, without white space')
  const body = replacement ?? bodyOf(entry)
  const decompressed = findDecompression(body ?? Buffer.alloc(0), fields)
  const named = lineValues(request.headers, 'connection')
    .join()
    .toLowerCase()
    .split(/[\s,]+/)
  const isOfConnection = (name: string) => HOP_BY_HOP.has(name) || named.includes(name)
  const account = accountHeader.toLowerCase()
  const taken = new Map<string, string>()
  const leftOut = new Set<string>()
  for (const [written, value] of request.headers) {
    const name = written.toLowerCase()
    const isLeftOut = isOfConnection(name) || BY_PROXIES.test(name) || isOtherSignature(name, value)
    if (isLeftOut || (name === 'content-encoding' && decompressed !== undefined)) leftOut.add(name)
    else if (!MADE_NEW.has(name) && name !== account) taken.set(name, fields.values.get(name) ?? value)
  }
  const accounts = lineValues(request.headers, account)
  const size = body === null ? 'no body' : `a body of ${plural(body.length, 'byte')}`
  return {
    method: request.method,
    target,
    // The signer would add a type of its own.
    headers: { 'Content-Type': undefined, ...Object.fromEntries(writtenNames(entry, taken)) },
    body,
    accountHeader,
    account: accounts.length === 1 ? accounts[0] : undefined,
    notes: [
      `captured: ${request.method} ${target}, ${size}`,
      ...(leftOut.size === 0 ? [] : [`left out: ${[...leftOut].join(', ')}`]),
      ...(decompressed === undefined ? [] : [`the body in the capture is no longer compressed (${decompressed})`])
    ]
  }
}

/** Writes each name as it was first written, with the values of its lines (RFC 9110 section 5.3). */
function writtenNames({ request }: Entry, taken: ReadonlyMap<string, string>): [name: string, value: string][] {
  return [...taken].map(([name, value]) => {
    const [written] = request.headers.find(([other]) => other.toLowerCase() === name)!
    const isCookie = name === 'cookie'
    // RFC 6265 section 5.4: cookies have their own separator.
    return [written, isCookie ? lineValues(request.headers, name).join('; ') : value]
  })
}

/** Returns whether this is the other form of the draft: Authorization: Signature ... */
const isOtherSignature = (name: string, value: string): boolean =>
  name === 'authorization' && /^signature[ \t]/i.test(value)

/** Describes the malformed parts in words about the capture. */
const MALFORMED = {
  method: 'the method is not a token',
  target: 'the target is empty, or has a line break or NUL',
  'header-name': 'the name of a header is not a token',
  'header-value': 'the value of a header has a line break or another control character',
  'header-count': `there are more than ${MAX_HEADER_LINES} header lines`
} as const

function checkWellFormed({ request }: Entry): Fields {
  const checked = checkRequest(request)
  const refuse = (part: keyof typeof MALFORMED) =>
    new UsageError(`the request in the capture is not well-formed, so it is not sent: ${MALFORMED[part]}`)
  if (!checked.ok) throw refuse(checked.code === 'request-malformed' ? checked.evidence.part : 'header-value')
  if (!request.headers.every(([, value]) => FIELD_VALUE.test(value))) throw refuse('header-value')
  return checked.value
}

/** Returns the bytes of the body; null for a request without one. */
function bodyOf({ request: { headers, body }, missingBody }: Entry): Buffer | null {
  const bytes = typeof body === 'string' || body instanceof Uint8Array ? Buffer.from(body as Uint8Array) : body
  const lengths = lineValues(headers, 'content-length')
  const isAnnounced = lengths.some(length => length !== '0') || lineValues(headers, 'transfer-encoding').length > 0
  const isEmpty = bytes === null || (bytes instanceof Buffer && bytes.length === 0)
  const isLost = isEmpty && isAnnounced && !hasDigest(digestsIn(headers), '')
  if (isLost || !(bytes === null || bytes instanceof Buffer))
    throw new UsageError(`${missingBody ?? 'the capture does not have the body'}: pass it with --data @FILE`)
  return isEmpty && lengths.length === 0 ? null : (bytes ?? Buffer.alloc(0))
}
