import type { Fields } from '../../core/http/fields.ts'
import type { Reencoding } from '../../core/result/evidence.ts'
import type { Failed } from '../../core/result/result.ts'
import { type Budget, createBudget } from '../budget.ts'
import { findDecompression } from './decompression.ts'
import { FORM_WRITERS, isForm } from './form.ts'
import {
  COMMON_LAYOUTS,
  ESCAPES,
  emptyObjects,
  INDENTED_LAYOUTS,
  isEscapable,
  isJson,
  isString,
  nextInteger,
  unquoted,
  ZEROS,
  zeroWriter
} from './json.ts'
import { crlfFromLf, hasLineFeed, lfFromCrlf } from './lines.ts'
import { concat, rewrite, spendCopy, spendScan, type Writer } from './rewrite.ts'
import { findTrace } from './trace.ts'
import { isNotAscii, latin1FromUtf8, utf8FromLatin1 } from './utf8.ts'

/** The search tries only small bodies, and looks for traces in the others. */
const MAX_BODY_BYTES = 16_384

/**
 * Limits the cost of the search, in microseconds. A verdict on a body that does not match may take three times as long
 * as hashing the body, and half a millisecond.
 */
export const BODY_SEARCH_COST = 270

/** Costs of hashing a text, besides the cost of its bytes. */
const HASH = 1.5
const HASH_BYTE = 0.0015

/** Costs of converting a byte from base64, and of remembering an integer. */
const BASE64_BYTE = 0.001
const INTEGER = 0.5

type Matches = (bytes: Uint8Array) => boolean

/** Adds to a digest-mismatch the change of the body on its way. `matches` says whether bytes have the digest. */
export function withBodyChange(failed: Failed, body: Uint8Array, fields: Fields, matches: Matches): Failed {
  if (failed.code !== 'digest-mismatch') return failed
  const change = findBodyChange(body, failed.evidence.contentLength, matches)
  const decompressed = findDecompression(body, fields)
  return {
    ...failed,
    evidence: {
      ...failed.evidence,
      ...(change !== undefined && { change }),
      ...(decompressed !== undefined && { decompressed })
    }
  }
}

/**
 * Finds what changed a body that does not match its digest: undoes each common change and tries the text, as far as the
 * budget allows. Some changes cannot be undone, but leave traces.
 *
 * @param contentLength the length that was signed, if it was
 */
export function findBodyChange(
  body: Uint8Array,
  contentLength: number | undefined,
  matches: Matches,
  budget = createBudget(BODY_SEARCH_COST)
): Reencoding | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  // The trace is paid first: it must be found even where the search spends the whole budget.
  const trace = findTrace(bytes, contentLength, budget)
  if (body.length > MAX_BODY_BYTES) return trace
  const known = new Map<Condition, boolean>()
  const holds = (condition: Condition): boolean => {
    const isKnown = known.get(condition)
    if (isKnown !== undefined) return isKnown
    const isTrue = condition(bytes, budget)
    known.set(condition, isTrue)
    return isTrue
  }
  const isOriginal = (text: Buffer): boolean =>
    text.length === (contentLength ?? text.length) &&
    !isSame(text, bytes, budget) &&
    budget.spend(HASH + HASH_BYTE * text.length) &&
    matches(text)

  for (const { change, when, originals } of UNDO) {
    if (when !== undefined && !holds(when)) continue
    for (const text of originals(bytes, budget)) if (text !== undefined && isOriginal(text)) return change
  }
  return trace
}

/** Looks at each byte of a body once, and pays for it. */
type Condition = (body: Buffer, budget: Budget) => boolean

const paid =
  (scan: (body: Buffer) => boolean): Condition =>
  (body, budget) =>
    spendScan(body, budget) && scan(body)

const HAS_LINE_FEED: Condition = (body, budget) => spendCopy(body.length, budget) && hasLineFeed(body)
const IS_STRING = paid(isString)
const IS_JSON = paid(isJson)
const IS_NOT_ASCII = paid(isNotAscii)
const IS_FORM = paid(isForm)

const isSame = (text: Buffer, other: Buffer, budget: Budget): boolean =>
  text.length === other.length && spendCopy(text.length, budget) && text.equals(other)

/** Returns the texts that a body may have been. Undefined stands for a text that was too long, or could not be paid. */
type Originals = (body: Buffer, budget: Budget) => Iterable<Buffer | undefined>

/** One change, and how it is undone. `when` is run once for all rows that have it. */
interface Undo {
  readonly change: Reencoding
  readonly when?: Condition
  readonly originals: Originals
}

const LF = Buffer.from('\n')
const CRLF = Buffer.from('\r\n')
const BOM = Buffer.from('\ufeff')

/** The most common changes are first, and those with many originals are last. */
const UNDO: readonly Undo[] = [
  {
    change: 'newline-removed',
    originals: (body, budget) => [concat([body, LF], budget), concat([body, CRLF], budget)]
  },
  { change: 'newline-added', originals: body => [withoutEnd(body, CRLF), withoutEnd(body, LF)] },
  { change: 'crlf-to-lf', when: HAS_LINE_FEED, originals: writtenBy([crlfFromLf]) },
  { change: 'lf-to-crlf', when: HAS_LINE_FEED, originals: writtenBy([lfFromCrlf]) },
  { change: 'bom-removed', originals: (body, budget) => (hasBom(body) ? [] : [concat([BOM, body], budget)]) },
  { change: 'bom-added', originals: body => (hasBom(body) ? [body.subarray(BOM.length)] : []) },
  { change: 'json-string', when: IS_STRING, originals: writtenBy([unquoted]) },
  { change: 'json-reserialized', when: IS_JSON, originals: writtenBy(COMMON_LAYOUTS) },
  { change: 'latin1-as-utf8', when: IS_NOT_ASCII, originals: writtenBy([latin1FromUtf8]) },
  { change: 'utf8-as-latin1', when: IS_NOT_ASCII, originals: writtenBy([utf8FromLatin1]) },
  { change: 'base64-encoded', originals: (body, budget) => [decodeBase64(body, budget)] },
  { change: 'form-reserialized', when: IS_FORM, originals: writtenBy(FORM_WRITERS) },
  { change: 'json-reserialized', when: IS_JSON, originals: rewriteJson }
]

function withoutEnd(body: Buffer, end: Buffer): Buffer | undefined {
  const start = body.length - end.length
  return start >= 0 && body.subarray(start).equals(end) ? body.subarray(0, start) : undefined
}

const hasBom = (body: Buffer): boolean => body.subarray(0, BOM.length).equals(BOM)

function decodeBase64(body: Buffer, budget: Budget): Buffer | undefined {
  return budget.spend(BASE64_BYTE * body.length) ? Buffer.from(body.toString('latin1'), 'base64') : undefined
}

function writtenBy(writers: readonly Writer[]): Originals {
  return function* (body, budget) {
    for (const write of writers) yield rewrite(body, budget, write)
  }
}

/** Writes a document of JSON in some layouts, and then each of these texts with a newline at the end. */
function* layOut(json: Buffer, budget: Budget, layouts: readonly Writer[]): Iterable<Buffer | undefined> {
  const texts = [json]
  for (const write of layouts) {
    const text = rewrite(json, budget, write)
    if (text !== undefined) texts.push(text)
    yield text
  }
  for (const text of texts) yield concat([text, LF], budget)
}

/** Writes the rarer layouts of a document of JSON, and then all layouts of what each writer makes of it. */
function* rewriteJson(json: Buffer, budget: Budget): Iterable<Buffer | undefined> {
  yield* layOut(json, budget, INDENTED_LAYOUTS)
  for (const write of COMMON_LAYOUTS) {
    const text = rewrite(json, budget, write)
    yield text && concat([text, LF], budget)
  }
  const seen = [json]
  for (const write of jsonWriters(json, budget)) {
    const document = rewrite(json, budget, write)
    if (document === undefined || seen.some(other => isSame(document, other, budget))) continue
    seen.push(document)
    yield document
    yield* layOut(document, budget, [...COMMON_LAYOUTS, ...INDENTED_LAYOUTS])
  }
}

/** Yields first the escapes, then the zeros of all numbers and of the same integers, then the empty objects. */
function* jsonWriters(json: Buffer, budget: Budget): Iterable<Writer> {
  if (spendScan(json, budget) && isEscapable(json)) yield* ESCAPES
  yield* [...ZEROS, emptyObjects]
  const seen = new Set<string>()
  let integer = spendScan(json, budget) ? nextInteger(json, 0) : undefined
  while (integer !== undefined && budget.spend(INTEGER)) {
    const bytes = json.subarray(integer.start, integer.end)
    const digits = bytes.toString('latin1')
    if (!seen.has(digits)) yield zeroWriter(bytes)
    seen.add(digits)
    integer = nextInteger(json, integer.end)
  }
}
