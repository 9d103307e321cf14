import type { Reencoding } from '../../core/result/evidence.ts'
import { isClosed } from './json.ts'

/** Limits how much of a body is read to find where it ends, and how much to find U+FFFD. */
const MAX_PARSED_BYTES = 16_384
const MAX_TEXT_BYTES = 65_536

/** The last character of a document, by its first: JSON, XML, and the parts of multipart (RFC 2046 section 5.1.1). */
const ENDS: Readonly<Record<string, string>> = { '{': '}', '[': ']', '"': '"', '<': '>', '-': '--' }

/** A number or a word of JSON. */
const SCALAR = /^(?:-?\d[\d.eE+-]*|true|false|null)$/

/** Finds traces of a change that cannot be undone. */
export function findTrace(body: Buffer, contentLength: number | undefined): Reencoding | undefined {
  if (/^\[object \w+\]$/.test(body.toString('latin1', 0, 40))) return 'object-to-string'
  if (contentLength !== undefined && contentLength > body.length && !isWhole(body)) return 'cut-short'
  return hasReplacement(body.subarray(0, MAX_TEXT_BYTES)) ? 'read-as-text' : undefined
}

/** Returns whether the body has U+FFFD, which a decoder of UTF-8 writes for bytes that are not UTF-8. */
function hasReplacement(text: Buffer): boolean {
  // Buffer.includes takes six times as long when every byte may be the first of it.
  for (let i = 2; i < text.length; i++) {
    if (text[i] === 0xbd && text[i - 1] === 0xbf && text[i - 2] === 0xef) return true
  }
  return false
}

/**
 * Returns whether the body ends as it begins. Other text shows no end: only a number, a word of JSON or a form counts
 * as whole.
 */
function isWhole(body: Buffer): boolean {
  const first = body.toString('latin1', 0, 1)
  const end = ENDS[first]
  const last = body.toString('latin1', Math.max(0, body.length - 10)).trimEnd()
  if (end !== undefined) {
    const isOpen = /[[{]/.test(first) && body.length <= MAX_PARSED_BYTES && !isClosed(body)
    return last.endsWith(end) && !isOpen
  }
  const text = body.toString('latin1', 0, MAX_PARSED_BYTES).trim()
  // A part of a form is a form, too.
  return SCALAR.test(text) || (text.includes('=') && /^[\x21-\x7e]*$/.test(text))
}
