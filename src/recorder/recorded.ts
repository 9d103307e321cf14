import type { BodyResult } from '../core/body/read.ts'
import { headerLines } from '../core/http/fields.ts'
import type { HeaderLine, ReceivedRequest } from '../core/http/request.ts'
import type { VerifierOptions } from '../core/options/options.ts'
import { isSignedUnderDomain } from '../core/verdict/log-record.ts'
import { mainFailure } from '../core/verdict/main-failure.ts'
import type { Memory } from '../core/verdict/memory.ts'
import type { RefusedRequest } from '../core/verdict/refused-request.ts'
import type { Verdict } from '../core/verdict/verdict.ts'
import { madeByKey } from '../explain/opened-signature.ts'
import { bodyOf, documentOf } from '../fixture/document.ts'
import type { VectorBody, VectorFile } from '../fixture/vector.ts'
import type { Signer } from './file-names.ts'
import type { StoreItem } from './store.ts'

/** The parts of a refused request that its document is made of. */
export interface Recorded extends StoreItem {
  readonly request: Pick<ReceivedRequest, 'method' | 'target' | 'https' | 'forwarded'>
  readonly headers: readonly HeaderLine[]
  readonly body: RecordedBody | undefined
  readonly verdict: Verdict
  readonly seen: Memory
  readonly options: VerifierOptions
  readonly isBodyUnread: boolean
  /** the head is larger than a server accepts, and only its beginning is kept */
  readonly isHeadCut: boolean
}

interface RecordedBody {
  /** a copy: a view would keep all of the buffer behind it */
  readonly bytes: Uint8Array
  /** the length of the whole body, as far as it was read */
  readonly length: number
  readonly error: string | undefined
}

/** Limits the characters of a head. Servers accept less: 16 KB is usual. */
const MAX_HEAD = 32_768

/**
 * Copies the parts of a refused request, and no larger object behind them. Keeps copies small: a flood makes many of
 * them.
 */
export function recordRequest(
  { request, verdict, seen, options, body }: RefusedRequest,
  maxBodyBytes: number
): Recorded {
  const { method, target, https, forwarded } = request
  const headers: HeaderLine[] = []
  let size = method.length + target.length
  const lines = headerLines(request.headers)
  for (const line of lines as Iterable<HeaderLine>) {
    size += line[0].length + line[1].length
    if (size <= MAX_HEAD) headers.push(line)
  }
  const isHeadCut = size > MAX_HEAD
  return {
    isSigned: isSignedUnderDomain(verdict),
    code: mainFailure(verdict)?.code ?? verdict.status,
    request: isHeadCut
      ? { method: copyText(method), target: copyText(target), https }
      : { method, target, https, forwarded },
    headers,
    body: body && copyBody(body, request.body, maxBodyBytes),
    verdict: isHeadCut ? copyVerdict(verdict) : verdict,
    seen: isHeadCut ? { ...seen, keyId: undefined, account: undefined } : seen,
    options,
    isBodyUnread: body === undefined && request.body !== null,
    isHeadCut
  }
}

/**
 * Copies the beginning of a body: of the bytes that were read or, if it was passed whole and is too large, of all
 * bytes.
 */
function copyBody(result: BodyResult, received: ReceivedRequest['body'], max: number): RecordedBody {
  const error = !result.ok && result.code === 'body-unreadable' ? result.evidence.error : undefined
  if (!result.ok && result.read === undefined) {
    const bytes = typeof received === 'string' ? Buffer.from(received.slice(0, max)) : (received as Uint8Array)
    const length = typeof received === 'string' ? Buffer.byteLength(received) : bytes.length
    return { bytes: new Uint8Array(bytes.subarray(0, max)), length, error }
  }
  const [bytes, length] = result.ok ? [result.value, result.value.length] : [result.read!.bytes(), result.read!.length]
  return { bytes: new Uint8Array(bytes.subarray(0, max)), length, error }
}

/** Makes the fixture of a recorded request. */
export function documentOfRecorded(recorded: Recorded, name: string, redact: boolean): VectorFile {
  const { settings, now } = recorded.seen
  const notes = [
    ...(recorded.isHeadCut ? ['the head was too large: the document has the beginning of it'] : []),
    ...(recorded.isBodyUnread ? ['the body was not read'] : [])
  ]
  return documentOf(
    { ...recorded, settings, now, notes, redact, areListsCut: true, body: vectorBody(recorded.body) },
    name,
    SOURCE
  )
}

const SOURCE = 'kept by the recorder of a receiver'

function vectorBody(body: RecordedBody | undefined): VectorBody | null {
  if (body === undefined) return null
  const { bytes, length, error } = body
  const isCut = length > bytes.length
  if (length === 0 && error === undefined) return null
  return { ...bodyOf(bytes), ...(isCut && { length }), ...(error !== undefined && { error }) }
}

/**
 * Finds out who signed a recorded request. For a signature that does not verify this is an RSA operation, which a
 * recorder does once for each file.
 */
export function signerOf({ isSigned, verdict: { checks } }: Recorded): Signer {
  if (!isSigned) return 'unsigned'
  const { signature } = checks
  const isByKey = 'code' in signature && signature.code === 'signature-mismatch' && madeByKey(signature.evidence)
  return signature.outcome === 'pass' || isByKey === true ? 'key' : 'claimed'
}

/** Limits the characters of each text of a head that is too large. */
const MAX_TEXT = 1000

/** Copies the beginning: a slice would keep all of the text behind it. */
const copyText = (text: string): string => Buffer.from(text.slice(0, MAX_TEXT), 'utf16le').toString('utf16le')

/** Copies a verdict without long texts of the sender. */
const copyVerdict = (verdict: Verdict): Verdict =>
  JSON.parse(JSON.stringify(verdict, (_, value) => (typeof value === 'string' ? copyText(value) : value)))
