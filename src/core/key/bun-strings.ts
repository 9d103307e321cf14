import { KEY_TYPES } from './key-types.ts'
import { looksLikeKeyRecord, parseKeyRecord } from './record.ts'

/**
 * Bun returns the strings of all TXT records in their order, each as a record of its own. This joins the strings of one
 * record again. Record boundaries are lost. A string is appended to the previous record if it can belong to it, even if
 * that makes a key invalid; otherwise it starts a record.
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

/** Matches `v=spf1`; not `v=` or `v==`, with which base64 can end. */
const VERSION = /^[ \t]*v[ \t]*=[ \t]*[A-Za-z0-9]/

/** `google-site-verification=`: tag names have no hyphen (RFC 6376 section 3.2), and neither does base64. */
const OTHER_NAME = /^[\w.]*-[\w.-]*=/

/** Returns whether the string cannot belong to the record before it. */
function startsRecord(string: string, before: string): boolean {
  if (KEY_VERSION.test(string)) return true
  if (before.length > MAX_LENGTH) return false
  const last = before.slice(before.lastIndexOf(';') + 1)
  if (!looksLikeKeyRecord(before)) {
    // `p=...` after other text; after a semicolon a tag list continues.
    return last.trim() !== '' && /^[ \t]*[a-z][ \t]*=/.test(string) && looksLikeKeyRecord(string)
  }
  const tag = /^[ \t]*(\w+)[ \t]*=/.exec(last)?.[1]
  // Notes and unknown tags may contain anything.
  if (tag !== undefined && !/^[phkst]$/.test(tag)) return false
  if (VERSION.test(string) || OTHER_NAME.test(string)) return true
  // After a whole key only white space and the next tag may follow.
  if (tag === 'p') return !/^(?:[ \t\r\n;]|$)/.test(string) && isWholeKey(before)
  // A restriction after the key may be continued, but `t=y` never becomes `t=yes`.
  return tag !== undefined && /(?:^|;)[ \t]*p[ \t]*=/.test(before) && !parseKeyRecord(before).ok
}

/** A key record is much shorter. A longer text is not parsed again for each of its strings. */
const MAX_LENGTH = 4096

/** Returns whether nothing can follow: the key is complete. After white space at the end more base64 could. */
function isWholeKey(text: string): boolean {
  const record = parseKeyRecord(text)
  if (!record.ok || /[ \t\r\n]$/.test(text)) return false
  const { type, publicKey } = record.value
  return KEY_TYPES[type].isComplete(publicKey)
}
