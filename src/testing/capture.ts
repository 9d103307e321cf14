import { encodeBase64 } from '../http/base64.ts'
import type { ReceivedHeaders, ReceivedRequest } from '../http/request.ts'
import { describe } from '../mistakes/describe.ts'
import { ownOptions } from '../mistakes/own-options.ts'
import type { VerifierOptions } from '../options/options.ts'
import type { KeyEvidence } from '../verdict/evidence.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { evidenceIn, type HeaderLines, optionsFor, signaturesIn } from './capture-options.ts'
import type { VectorBody, VectorFile, VectorJson, VectorOptions } from './vector-form.ts'

/** What the verdict does not hold; all of it is optional. */
export interface CaptureOptions {
  /** the verifier's options; without them, what the request and the verdict show of them */
  options?: VerifierOptions
  /** what DNS answered, by name; the verdict does not have the record of a key that was found and good */
  dns?: VectorJson['dns']
  /** when it was judged: a date, or milliseconds since 1970; now by default */
  now?: Date | number
  /** the body's bytes, when the request has a stream: it can be read only once */
  body?: Uint8Array | string
  /** `captured` by default */
  name?: string
  /** where it is from, for the document; `captured from a connection` by default */
  source?: string
  /** empty the header values that no check reads, and leave out a body that none did; false by default */
  redact?: boolean
}

/**
 * Makes a fixture document of a received request and its verdict: for `signed-requests explain`, and for a test that
 * the same request is judged the same again. It has the secrets of the request; `redact` removes what no check reads.
 *
 * @throws TypeError for a bad option, and when the body decides and was a stream: pass its bytes as `body`
 */
export function captureFixture(
  request: ReceivedRequest,
  verdict: Verdict,
  options: CaptureOptions = {}
): VectorFile {
  const capture = ownOptions('captureFixture', options, OPTION_NAMES)
  const { name = 'captured', source = 'captured from a connection', redact = false } = capture
  const headers = headerLines(request.headers)
  const around = optionsFor(capture.options ?? {}, headers, verdict)
  const dns = capture.dns ?? dnsIn(verdict)
  const vector: VectorJson = {
    name,
    ...(dns === undefined && { note: 'the record of the key is not known: add it under dns' }),
    request: {
      method: request.method,
      target: request.target,
      headers: redact ? redacted(headers, around.options, verdict) : headers,
      body: redact && !bodyDecides(verdict) ? null : capturedBody(request, verdict, capture.body),
      https: request.https
    },
    dns: dns ?? {},
    ...around,
    // Vectors have whole seconds.
    now: validateNow(capture.now).toISOString().replace(/\.\d+/, ''),
    verdict:
      verdict.status === 'verified'
        ? { status: 'verified' }
        : {
            status: verdict.status,
            failures: verdict.failures.map(({ check, code }) => ({ check, code }))
          }
  }
  return { source, vectors: [vector] }
}

const OPTION_NAMES: readonly (keyof CaptureOptions)[] = [
  'options',
  'dns',
  'now',
  'body',
  'name',
  'source',
  'redact'
]

function validateNow(now: unknown = Date.now()): Date {
  const date = now instanceof Date || typeof now === 'number' ? new Date(now) : undefined
  if (date !== undefined && !Number.isNaN(date.getTime())) return date
  throw new TypeError(`now is ${describe(now)}: pass a Date, or milliseconds since 1970`)
}

function headerLines(headers: ReceivedHeaders): HeaderLines {
  if (Symbol.iterator in headers)
    return Array.from(headers as HeaderLines, ([name, value]) => [name, value] as const)
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map(line => [name, line] as const)
  )
}

const ALWAYS_READ = ['host', 'date', 'signature', 'digest', 'signature-input', 'content-digest']

/** The names, in lower case, that a check reads: those it asks for, and those that the signature covers. */
export function namesRead(
  headers: HeaderLines,
  { accountHeader = 'X-Service-ID' }: Pick<VectorOptions, 'accountHeader'>,
  verdict: Verdict
): ReadonlySet<string> {
  const read = new Set([...ALWAYS_READ, accountHeader.toLowerCase()])
  for (const { covered } of signaturesIn(headers)) for (const name of covered) read.add(name)
  const malformed = evidenceIn(verdict, 'request-malformed')?.name
  if (malformed !== undefined) read.add(malformed.toLowerCase())
  return read
}

function redacted(headers: HeaderLines, options: VectorOptions, verdict: Verdict): HeaderLines {
  const read = namesRead(headers, options, verdict)
  return headers.map(([name, value]) => [name, read.has(name.toLowerCase()) ? value : ''])
}

/** The body is read only after the signature has verified. */
const bodyDecides = ({ checks }: Verdict): boolean => checks.signature.outcome === 'pass'

function capturedBody(
  request: ReceivedRequest,
  verdict: Verdict,
  given: CaptureOptions['body']
): VectorBody | null {
  const body = given ?? (verdict.status === 'verified' ? verdict.body : request.body)
  if (typeof body === 'string') return { utf8: body }
  if (body instanceof Uint8Array) return bytesBody(body)
  if (body === null || !bodyDecides(verdict)) return null
  const broken = evidenceIn(verdict, 'body-unreadable')
  if (broken !== undefined) return { error: broken.error }
  throw new TypeError(
    'request.body is a stream that was read: pass its bytes, captureFixture(request, verdict, { body })'
  )
}

/** As text, if that gives the same bytes. */
function bytesBody(bytes: Uint8Array): VectorBody {
  const utf8 = Buffer.from(bytes).toString('utf8')
  return Buffer.from(utf8, 'utf8').equals(bytes) ? { utf8 } : { base64: encodeBase64(bytes) }
}

/** What DNS answered, as far as a failure shows it; undefined when the key was found and good. */
function dnsIn(verdict: Verdict): VectorJson['dns'] | undefined {
  if (verdict.checks.key.outcome === 'not-run') return {}
  const mismatch = evidenceIn(verdict, 'signature-mismatch')
  if (mismatch !== undefined) return { [mismatch.keyId]: [[mismatch.record]] }

  const failure =
    verdict.status === 'verified' ? undefined : verdict.failures.find(({ check }) => check === 'key')
  const { name, record, reason, error } = (failure?.evidence ?? {}) as KeyEvidence & { error?: string }
  if (failure === undefined || name === undefined) return undefined
  if (failure.code === 'key-lookup-timeout') return { [name]: { error: 'ETIMEOUT' } }
  if (failure.code === 'key-lookup-failed') return { [name]: { error: error ?? null } }
  if (record !== undefined) return { [name]: [[record]] }
  return reason === 'ENOTFOUND' || reason === 'ENODATA' ? { [name]: { error: reason } } : { [name]: [] }
}
