import { parseHttpDate } from '../core/http/http-date.ts'
import { MAX_RECORD_LENGTH } from '../core/key/record.ts'
import type { EvidenceByCode, ExpectedList } from '../core/result/evidence.ts'
import { correctRecord, hidePrivateKeys } from './record-mistakes.ts'
import { duration, escapeText, plural } from './text.ts'

/** Names the kinds of facts. */
export type FactId =
  | 'absent'
  | 'actual'
  | 'algorithm'
  | 'allowed'
  | 'bits'
  | 'body'
  | 'clock'
  | 'correctedRecord'
  | 'covered'
  | 'created'
  | 'decompressed'
  | 'domain'
  | 'error'
  | 'excerpt'
  | 'expected'
  | 'expires'
  | 'header'
  | 'keyId'
  | 'limit'
  | 'matching'
  | 'missing'
  | 'name'
  | 'parameter'
  | 'part'
  | 'position'
  | 'reason'
  | 'received'
  | 'record'
  | 'repeated'
  | 'replayId'
  | 'servers'
  | 'signingString'
  | 'store'
  | 'thrown'
  | 'toleranceSeconds'

/** A value that was received, found or configured: `received`, `a.example`. */
export interface Fact {
  /** for a program: the same word whatever the label says */
  id: FactId
  /** for a person */
  label: string
  /** printable ASCII, cut to a bounded length; only that of `signingString` has line breaks */
  value: string
  /** whether it is long, and stands below the advice */
  isLong: boolean
}

/** Explains the codes of errors. */
export const ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed',
  ENODATA: 'the name has no TXT record',
  ENOTFOUND: 'there is no such name in DNS',
  EAI_AGAIN: 'DNS does not answer',
  EHOSTUNREACH: 'the network does not reach it',
  ETIMEDOUT: 'the network does not reach it',
  ETIMEOUT: 'no answer',
  ESERVFAIL: 'the DNS server got no answer itself',
  EREFUSED: 'the DNS server does not serve this machine',
  EBADRESP: 'the reply is not a DNS message',
  EAMBIGUOUS: 'there are several strings, and Bun does not tell where a TXT record ends',
  ENOTAUTHENTICATED: 'the zone is not signed, or the resolver does not validate',
  NOT_CONNECTED: 'the client has no connection',
  REPLAY_STORE_FULL: 'it is full',
  READONLY: 'it is a replica, which accepts no writes',
  OOM: 'its memory is full',
  NOREPLICAS: 'too few replicas have the claim',
  NOAUTH: 'it asks for a password',
  LOADING: 'it is still starting',
  25006: 'it accepts no writes',
  53100: 'its disk is full',
  '42P01': 'the table does not exist',
  '28P01': 'the password is wrong'
}

/** Explains the code of an error: `ECONNREFUSED, nothing listens there`. */
export const inWords = (error: string): string => (Object.hasOwn(ERRORS, error) ? `${error}, ${ERRORS[error]}` : error)

/** The clock that a time is compared with, unless a caller names another. */
export const THIS_CLOCK = "this machine's clock"

type Value = string | number | readonly string[] | undefined

/** Makes a fact of one line; none without a value. Its label is its id unless another is given. */
export const fact = (id: FactId, value: Value, label: string = id): Fact[] =>
  value === undefined ? [] : [{ id, label, value: escapeText(asLine(value)), isLong: false }]

const asLine = (value: string | number | readonly string[]): string =>
  typeof value === 'object' ? listed(value) : String(value)

/** Makes the fact of a configured list, of which the evidence has the first entries. */
export const expectedFact = ({ expected, expectedCount }: Partial<ExpectedList>): Fact[] =>
  fact(
    'expected',
    expected &&
      (expectedCount === undefined ? expected : `${expected.join(', ')} and ${expectedCount - expected.length} more`)
  )

/** Makes a fact that stands below the advice, from text that is printable as it is. */
export const longFact = (id: FactId, label: string, value: string | undefined): Fact[] =>
  value === undefined ? [] : [{ id, label, value, isLong: true }]

/** Makes the fact of a reason, with the code of an error in words. */
export const reasonFact = (reason: string | undefined): Fact[] => fact('reason', reason && inWords(reason), 'because')

/** Makes the facts of a time: how far it may be from now, and the time of this machine's clock. */
export const timeFacts = (evidence: TimeEvidence, clock: string): Fact[] => [
  ...fact('toleranceSeconds', duration(evidence.toleranceSeconds), 'expected within'),
  ...fact('clock', httpDate(receiverTime(evidence)), clock)
]

/** Makes the fact of a time in seconds since 1970, with its date. */
export const secondsFact = (id: 'created' | 'expires', seconds: number): Fact[] => {
  const time = httpDate(seconds * 1000)
  return fact(id, time === undefined ? seconds : `${seconds} (${time})`)
}

/** Makes the fact of an error that the receiver's own function threw. */
export const thrownFact = (error: unknown): Fact[] => longFact('thrown', 'thrown', describeThrown(error))

/** Writes a fact: `received a.example`. */
export const factText = ({ label, value }: Fact): string => `${label} ${value}`

/** Writes a value as text. A list is cut, because a receiver may have many accounts. */
export const textOf = (value: unknown, max: number): string =>
  Array.isArray(value) ? value.slice(0, max).join(', ') : String(value ?? '')

/** Lists the first items: a receiver may have many accounts. */
function listed(items: readonly string[]): string {
  const more = items.length - 20
  return (textOf(items, 20) || 'nothing') + (more > 0 ? ` and ${more} more` : '')
}

/** Compares the length of the body with the signed Content-Length. */
export function lengths(received: number, signed: number | undefined): string {
  const size = plural(received, 'byte')
  if (signed === undefined) return `${size}; Content-Length is not signed`
  const difference = received - signed
  if (difference === 0) return `${size}, as long as what was signed`
  const more = difference > 0 ? 'longer' : 'shorter'
  return `${plural(Math.abs(difference), 'byte')} ${more} than what was signed (${received} instead of ${signed})`
}

/** Writes a time as HTTP does, so that it can be compared with a Date header; undefined when there is no such time. */
function httpDate(time: number): string | undefined {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? undefined : date.toUTCString()
}

/** The evidence of a time that is out of range. */
export type TimeEvidence = EvidenceByCode['date-too-old' | 'signature-created-out-of-range' | 'signature-expired']

/** Returns the time of this machine's clock, in milliseconds: the received time, less its offset from now. */
export const receiverTime = (evidence: TimeEvidence): number => receivedTime(evidence) - evidence.offsetSeconds * 1000

function receivedTime(evidence: TimeEvidence): number {
  if ('created' in evidence) return evidence.created * 1000
  if ('expires' in evidence) return evidence.expires * 1000
  const date = parseHttpDate(evidence.received)
  return date.ok ? date.value.getTime() : Number.NaN
}

const nameOfTime = (evidence: TimeEvidence): string => ['created', 'expires'].find(name => name in evidence) ?? 'Date'

/** Says which of two clocks is ahead, and by how much: `Date is 8 minutes ahead of this machine's clock`. */
export function compareWithClock(evidence: TimeEvidence, clock: string): string {
  const { offsetSeconds } = evidence
  const time = httpDate(receiverTime(evidence))
  const way = offsetSeconds < 0 ? 'behind' : 'ahead of'
  const difference = duration(Math.abs(offsetSeconds))
  return `${nameOfTime(evidence)} is ${difference} ${way} ${clock}${time ? ` (${time})` : ''}`
}

/**
 * Describes an error that the receiver's own function threw: name and message, escaped and cut, and nothing else. The
 * other properties of an error may hold a connection string or a query's parameters.
 */
function describeThrown(error: unknown): string {
  try {
    const known: unknown = Object(error) === error ? error : { name: typeof error, message: String(error) }
    const { name, message } = known as Partial<Error>
    return escapeText([name, message].filter(Boolean).join(': ') || 'an error without a name', 300)
  } catch {
    return 'an error that cannot be read'
  }
}

/**
 * Makes the facts of the record as found, and of the first record that can be corrected: whole, because it is to be
 * copied. A private key is in no output, wherever in the records it is.
 */
export function recordFacts(record: string | undefined, records: readonly string[] = []): Fact[] {
  const texts = [...(record === undefined ? [] : [record]), ...records]
  const show = hidePrivateKeys(texts)
  const corrected = texts.map(correctRecord).find(text => text !== undefined)
  return [
    ...longFact('record', 'record as found', record && escapeText(show(record), 1000)),
    ...longFact('correctedRecord', 'corrected record', corrected && escapeText(show(corrected), MAX_RECORD_LENGTH))
  ]
}
