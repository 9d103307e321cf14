import { memoizeRecent } from '../memo.ts'
import { ok, type Result } from '../result/result.ts'
import { importPublicKey, type PublicKey } from './key-types.ts'
import { looksLikeKeyRecord, MAX_RECORD_LENGTH, parseKeyRecord } from './record.ts'
import type { KeyLimits, KeyRecord } from './types.ts'

/** A parsed record and its imported key. */
export interface RecordKey {
  record: KeyRecord
  key: PublicKey
}

/** Parses the key in the text of one TXT record. Never throws; fails as `parseKeyRecord` and `importPublicKey` do. */
export function parseKey(text: string, limits: KeyLimits = {}): Result<RecordKey> {
  const record = parseKeyRecord(text)
  if (!record.ok) return record
  const key = importPublicKey(record.value, limits)
  return key.ok ? ok({ record: record.value, key: key.value }) : key
}

/** Finds the key of a record's text: undefined when the text is not a key record at all. */
export type KeyCache = (text: string) => Result<RecordKey> | undefined

/** A service has one key a month. */
const MAX_RECORDS = 16

/**
 * Remembers the key of a record by the record's exact text, because importing a key costs several times as much as a
 * verification. DNS is still asked every time: a changed record has another text, and is parsed at once.
 */
export function createKeyCache(limits: KeyLimits): KeyCache {
  // Texts that are not key records are not remembered: many of them at a name would push the key out.
  const parse: KeyCache = text => (looksLikeKeyRecord(text) ? parseKey(text, limits) : undefined)
  const cached = memoizeRecent(parse, Object.is, MAX_RECORDS, key => key !== undefined)
  return text => (text.length > MAX_RECORD_LENGTH ? parse(text) : cached(text))
}
