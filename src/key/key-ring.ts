import { rememberFew } from '../headers/remember.ts'
import { ok, type Result } from '../result.ts'
import { importPublicKey, type KeyLimits, type PublicKey } from './import.ts'
import { type KeyRecord, looksLikeKeyRecord, parseKeyRecord } from './record.ts'

/** A parsed record and its imported key. */
export interface RecordKey {
  record: KeyRecord
  key: PublicKey
}

/** Finds the key of a record's text: undefined when the text is no key record at all. */
export type KeyRing = (text: string) => Result<RecordKey> | undefined

/** A service has one key a month; these bounds hold many services and no flood. */
const MAX_RECORDS = 100
const MAX_TEXT = 4096

/**
 * Importing a key costs several times a verification, so what was made of a record is found again by the record's
 * exact text. DNS is still asked every time: a changed record has another text, and is read at once.
 */
export function createKeyRing(limits: KeyLimits): KeyRing {
  const known = new Map<string, ReturnType<KeyRing>>()
  const find = rememberFew((text: string) => {
    const found = known.get(text)
    if (found !== undefined || known.has(text)) return found
    const result = readKey(text, limits)
    if (known.size >= MAX_RECORDS) known.delete(known.keys().next().value!)
    known.set(text, result)
    return result
  })
  return text => (text.length > MAX_TEXT ? readKey(text, limits) : find(text))
}

function readKey(text: string, limits: KeyLimits): Result<RecordKey> | undefined {
  if (!looksLikeKeyRecord(text)) return undefined
  const record = parseKeyRecord(text)
  if (!record.ok) return record
  const key = importPublicKey(record.value, limits)
  return key.ok ? ok({ record: record.value, key: key.value }) : key
}
