import { CODES } from '../core/result/codes.ts'
import type { StoreItem } from './store.ts'

/**
 * Says who signed a request: `key`, the published key (over this request or another text); `claimed`, not known: it
 * names a key under the domain; `unsigned`, nobody under the domain.
 */
export type Signer = 'key' | 'claimed' | 'unsigned'

/** A file of this directory that was written here, by this process or an earlier one. */
export interface RecordedFile extends StoreItem {
  readonly name: string
  /** counts up, in all processes: a clock may go back */
  readonly number: number
  readonly signer: Signer
}

/** The parts of a name besides its number. */
export interface NameParts {
  /** milliseconds since 1970 */
  readonly time: number
  readonly code: string
  readonly signer: Signer
}

/** Returns the time in a name, which is written without colons, in milliseconds since 1970; NaN for no time. */
export const timeInName = (name: string): number => Date.parse(name.slice(0, 24).replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'))

/** Matches the names that a recorder writes, and no others. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-([a-z0-9-]+)-(key|claimed|unsigned)-([1-9]\d{0,14})\.json$/

/** The highest number of `NAME`. No recorder reaches it; a name from elsewhere may have it. */
const MAX_NUMBER = 999_999_999_999_999

/** Parses the name of a recorder's file; undefined for any other name. */
export function parseRecordedName(name: string): RecordedFile | undefined {
  const [, code = '', signer, number] = NAME.exec(name) ?? []
  if (signer === undefined || !Object.hasOwn(CODES, code) || Number.isNaN(timeInName(name))) return undefined
  // The first file of a code that the published key signed stays beside the first one that only claims to be signed.
  return {
    name,
    number: Number(number),
    isSigned: signer !== 'unsigned',
    code: `${code}-${signer}`,
    signer: signer as Signer
  }
}

/**
 * Makes the next file of a directory, such as `2026-11-24T15-05-38.123Z-digest-mismatch-key-1.json`. Two processes may
 * choose the same number at once; their names still differ in time.
 */
export function nextFile(files: readonly RecordedFile[], { time, code, signer }: NameParts): RecordedFile {
  const number = Math.min(files.reduce((highest, file) => Math.max(highest, file.number), 0) + 1, MAX_NUMBER)
  return parseRecordedName(`${timestamp(time)}-${code}-${signer}-${number}.json`)!
}

/** The end of the year 9999, in milliseconds: a later time has another form. */
const END_OF_TIME = 253_402_300_799_999

/** Writes a time as `2026-11-24T15-05-38.123Z`, without colons, which some systems refuse in names. */
const timestamp = (time: number): string =>
  new Date(time >= 0 && time <= END_OF_TIME ? time : Date.now()).toISOString().replaceAll(':', '-')
