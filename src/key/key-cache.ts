import { memoFew, memoMany } from '../memo.ts'
import { ok, type Result } from '../verdict/result.ts'
import { importPublicKey, type KeyLimits, type PublicKey } from './import.ts'
import { type KeyRecord, looksLikeKeyRecord, parseKeyRecord } from './record.ts'

/** A parsed record and its imported key. */
export interface RecordKey {
  record: KeyRecord
  key: PublicKey
}

/** Finds the key of a record's text: undefined when the text is not a key record at all. */
export type KeyCache = (text: string) => Result<RecordKey> | undefined

/** A service has one key a month; these limits have room for many services, but not for a flood. */
const MAX_RECORDS = 100
const MAX_TEXT = 4096

/**
 * Importing a key costs several times as much as a verification, so the key of a record is remembered by the record's
 * exact text. DNS is still asked every time: a changed record has another text, and is parsed at once. The newest few
 * are found by comparison, without hashing the text: saves 2 % of a verification.
 */
export function createKeyCache(limits: KeyLimits): KeyCache {
  const parse: KeyCache = text => parseRecordKey(text, limits)
  const cached = memoFew(memoMany(parse, MAX_RECORDS))
  return text => (text.length > MAX_TEXT ? parse(text) : cached(text))
}

function parseRecordKey(text: string, limits: KeyLimits): Result<RecordKey> | undefined {
  if (!looksLikeKeyRecord(text)) return undefined
  const record = parseKeyRecord(text)
  if (!record.ok) return record
  const key = importPublicKey(record.value, limits)
  return key.ok ? ok({ record: record.value, key: key.value }) : key
}
