import { looksLikeKeyRecord, parseKeyRecord } from './record.ts'
import { parseRsaDer } from './rsa-der.ts'

/**
 * Bun returns the strings of all TXT records in their order, each as a record of its own. This puts those of one record
 * together again. The boundaries are lost, so they are found by what can stand where in a key record: what may belong
 * to the record before belongs to it, even where that spoils a key, and only what cannot starts a record.
 */
export function joinStrings(answer: readonly (readonly string[])[]): string[][] {
  const records: string[][] = []
  let text = ''
  for (const strings of answer) {
    const next = strings.join('')
    if (records.length === 0 || startsRecord(next, text)) {
      records.push([...strings])
      text = next
    } else {
      records.at(-1)!.push(...strings)
      text += next
    }
  }
  return records
}

/** "This tag MUST be the first tag in the record if present" (RFC 6376 section 3.6.1). */
const KEY_VERSION = /^[ \t]*v[ \t]*=[ \t]*DKIM/i

/** `v=spf1`; not `v=` or `v==`, with which base64 can end. */
const VERSION = /^[ \t]*v[ \t]*=[ \t]*[A-Za-z0-9]/

/** `google-site-verification=`: tag names have no hyphen (RFC 6376 section 3.2), nor has base64. */
const OTHER_NAME = /^[\w.]*-[\w.-]*=/

/** Can the string not be the continuation of the record before it? */
function startsRecord(string: string, before: string): boolean {
  if (KEY_VERSION.test(string)) return true
  const last = before.slice(before.lastIndexOf(';') + 1)
  if (!looksLikeKeyRecord(before)) {
    // `p=...` after other text; a tag list that ends with a semicolon goes on.
    return last.trim() !== '' && /^[ \t]*[a-z][ \t]*=/.test(string) && looksLikeKeyRecord(string)
  }
  const tag = /^[ \t]*(\w+)[ \t]*=/.exec(last)?.[1]
  // Notes and unknown tags may contain anything.
  if (tag !== undefined && !TAGS_WITHOUT_EQUALS.has(tag)) return false
  if (VERSION.test(string) || OTHER_NAME.test(string)) return true
  // After a whole key only white space and the next tag may follow.
  return tag === 'p' && !/^(?:[ \t\r\n;]|$)/.test(string) && isWholeKey(before)
}

/** The tags in whose values no equals sign can stand, but at the end of base64. */
const TAGS_WITHOUT_EQUALS = new Set(['v', 'g', 'h', 'k', 's', 't', 'p'])

/** Much longer than the record of the longest key. */
const MAX_LENGTH = 4096

/** DER says its own length, so nothing can follow. */
function isWholeKey(text: string): boolean {
  const record = text.length <= MAX_LENGTH ? parseKeyRecord(text) : undefined
  if (!record?.ok) return false
  const { type, publicKey } = record.value
  return type === 'rsa' ? typeof parseRsaDer(publicKey) === 'object' : publicKey.length === 32
}
