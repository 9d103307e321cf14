import { compareDigests } from '../../core/checks/digest.ts'
import type { Reencoding } from '../../core/result/evidence.ts'
import { memoryOf } from '../../core/verdict/memory.ts'
import type { FailureOf } from '../../core/verdict/verdict.ts'
import { createSearchBudget, type SearchBudget } from '../search-budget.ts'
import { findCompression, findDecompression } from './decompression.ts'
import { FORM_WRITERS, isForm } from './form.ts'
import { emptyObjects, isJson, isString, SERIALIZERS, unquoted } from './json.ts'
import { crlfFromLf, hasLineFeed, lfFromCrlf } from './lines.ts'
import { rewrite, type Writer } from './rewrite.ts'
import { findTrace } from './trace.ts'
import { isNotAscii, isUtf8, latin1FromUtf8, utf8FromLatin1 } from './utf8.ts'

/** The search tries only small bodies, and looks for traces in the others. */
const MAX_BODY_BYTES = 16_384

/** Limits the bytes that the search reads, writes and hashes: it then takes less than the 5 ms of a diagnosis. */
const MAX_WORK = 600_000

type Matches = (bytes: Uint8Array) => boolean

/** Describes the change of a body after it was signed. */
export interface BodyChange {
  readonly change?: Reencoding
  /** the same of a body that has the length that was signed, so that the sender hashed another text than it sent */
  readonly hashedBefore?: Reencoding
  /** the Content-Encoding that the body still has */
  readonly compressed?: string
  /** the Content-Encoding that the body no longer has */
  readonly decompressed?: string
}

/**
 * Finds what happened to the body of a `digest-mismatch`: only the verdict that `verify` returned remembers the body.
 */
export function findChangeOf(verdict: object, { evidence }: FailureOf<'digest-mismatch'>): BodyChange {
  const { received } = memoryOf(verdict) ?? {}
  if (received === undefined) return {}
  const { body, fields, digests } = received
  const change = findBodyChange(body, evidence.contentLength, bytes => compareDigests(digests, bytes).ok)
  const [compressed, decompressed] = [findCompression(body, fields), findDecompression(body, fields)]
  return {
    ...change,
    ...(compressed !== undefined && { compressed }),
    ...(decompressed !== undefined && { decompressed })
  }
}

/**
 * Finds what changed a body that does not match its digest: writes it as it may have been before, and tries whether
 * that has the digest. Some changes cannot be undone, but leave traces.
 *
 * @param contentLength the length that was signed, if it was
 */
export function findBodyChange(
  body: Uint8Array,
  contentLength: number | undefined,
  matches: Matches,
  budget = createSearchBudget(MAX_WORK)
): Pick<BodyChange, 'change' | 'hashedBefore'> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  // If the length is the signed one, the sender may have hashed a text of another length than it sent.
  const hasLength = (text: Buffer): boolean =>
    contentLength === undefined || contentLength === bytes.length || contentLength === text.length
  const isOriginal = (text: Buffer): boolean =>
    hasLength(text) && !text.equals(bytes) && budget.spend(text.length) && matches(text)

  if (body.length <= MAX_BODY_BYTES)
    for (const { change, when, originals } of UNDO) {
      if (when?.(bytes) === false) continue
      for (const text of originals(bytes, budget))
        if (text !== undefined && isOriginal(text)) {
          const found = change === 'latin1-as-utf8' && !isUtf8(text) ? 'latin1-to-utf8' : change
          const isBySender = contentLength === bytes.length && text.length !== contentLength
          return isBySender ? { hashedBefore: found } : { change: found }
        }
    }
  const trace = findTrace(bytes, contentLength)
  return trace === undefined ? {} : { change: trace }
}

/** Returns the texts that a body may have been. Undefined stands for a text that is too long, or cannot be paid. */
type Originals = (body: Buffer, budget: SearchBudget) => Iterable<Buffer | undefined>

/** One change, and how it is undone. */
interface Undo {
  readonly change: Reencoding
  readonly when?: (body: Buffer) => boolean
  readonly originals: Originals
}

const LF = Buffer.from('\n')
const CRLF = Buffer.from('\r\n')
const BOM = Buffer.from('\ufeff')

const hasBom = (body: Buffer): boolean => body.subarray(0, BOM.length).equals(BOM)

/** The most common changes are first, and those with many originals are last. */
const UNDO: readonly Undo[] = [
  { change: 'newline-removed', originals: body => [LF, CRLF].map(end => Buffer.concat([body, end])) },
  { change: 'newline-added', originals: body => [CRLF, LF].map(end => withoutEnd(body, end)) },
  { change: 'crlf-to-lf', when: hasLineFeed, originals: writtenBy([crlfFromLf]) },
  { change: 'lf-to-crlf', when: hasLineFeed, originals: writtenBy([lfFromCrlf]) },
  { change: 'bom-removed', when: body => !hasBom(body), originals: body => [Buffer.concat([BOM, body])] },
  { change: 'bom-added', when: hasBom, originals: body => [body.subarray(BOM.length)] },
  { change: 'json-string', when: isString, originals: writtenBy([unquoted]) },
  { change: 'latin1-as-utf8', when: isNotAscii, originals: writtenBy([latin1FromUtf8]) },
  { change: 'utf8-as-latin1', when: isNotAscii, originals: writtenBy([utf8FromLatin1]) },
  { change: 'utf16-to-utf8', originals: body => [utf16(body), Buffer.from(`\ufeff${body}`, 'utf16le').swap16()] },
  { change: 'base64-encoded', originals: body => [Buffer.from(body.toString('latin1'), 'base64')] },
  { change: 'form-reserialized', when: isForm, originals: writtenBy(FORM_WRITERS) },
  { change: 'json-reserialized', when: isJson, originals: serializations }
]

const utf16 = (body: Buffer): Buffer => Buffer.from(body.toString(), 'utf16le')

function withoutEnd(body: Buffer, end: Buffer): Buffer | undefined {
  const start = body.length - end.length
  return start >= 0 && body.subarray(start).equals(end) ? body.subarray(0, start) : undefined
}

function writtenBy(writers: readonly Writer[]): Originals {
  return function* (body, budget) {
    for (const write of writers) yield rewrite(body, budget, write)
  }
}

/** Writes a document as each serializer does, and then as if PHP had made an array of each empty object. */
function* serializations(json: Buffer, budget: SearchBudget): Iterable<Buffer | undefined> {
  const seen: Seen[] = []
  yield* serializationsOf(json, budget, seen)
  const document = rewrite(json, budget, emptyObjects)
  if (document !== undefined) yield* serializationsOf(document, budget, seen)
}

/** A document with its escapes, and the layouts that it was written in. */
interface Seen {
  readonly document: Buffer
  readonly layouts: Set<Writer>
}

function* serializationsOf(json: Buffer, budget: SearchBudget, seen: Seen[]): Iterable<Buffer | undefined> {
  for (const { escapes, layouts } of SERIALIZERS) {
    const document = rewrite(json, budget, escapes)
    if (document === undefined) continue
    let known = seen.find(other => other.document.equals(document))
    if (known === undefined) {
      known = { document, layouts: new Set() }
      seen.push(known)
    }
    for (const layout of layouts) {
      if (known.layouts.has(layout)) continue
      known.layouts.add(layout)
      const text = rewrite(document, budget, layout)
      yield text
      // A line break ends what an Encoder of Go or print() of Python writes, and most files.
      yield text && Buffer.concat([text, LF])
    }
  }
}
