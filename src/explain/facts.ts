import { parseHttpDate } from '../http/http-date.ts'
import { correctRecord, hidePrivateKeys } from './record-mistakes.ts'
import { duration, escapeText, plural } from './text.ts'

/** The evidence of any code. */
export type Evidence = Readonly<Record<string, string | number | readonly string[] | undefined>>

/** Something that was received, found or configured: `received`, `a.example`. */
export interface Fact {
  name: string
  value: string
}

/** How evidence is labelled; other evidence keeps its own name. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['allowed', 'expected'],
  ['actual', 'received'],
  ['decompressed', 'Content-Encoding'],
  ['excerpt', 'near'],
  ['reason', 'because'],
  ['servers', 'asked'],
  ['toleranceSeconds', 'expected within']
])

/** What the codes of errors mean. */
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
  EBADRESP: 'the answer is not one of DNS',
  EPRIVATE: 'a private address, which is not asked without --private',
  EBUDGET: 'not asked, because there were too many queries',
  ENOTAUTHENTICATED: 'the zone is not signed, or the resolver does not validate',
  REPLAY_STORE_FULL: 'it holds as many ids as it may',
  READONLY: 'it is a replica, which takes no writes',
  OOM: 'its memory is full',
  NOAUTH: 'it asks for a password',
  LOADING: 'it is still starting',
  25006: 'it takes no writes',
  53100: 'its disk is full',
  '42P01': 'the table is not there',
  '28P01': 'the password is wrong'
}

/** `ECONNREFUSED, nothing listens there` */
export const inWords = (error: string): string => (Object.hasOwn(ERRORS, error) ? `${error}, ${ERRORS[error]}` : error)

/** Shown in other facts and in the cause instead. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'bodyLength',
  'change',
  'contentLength',
  'forwarded',
  'hosts',
  'looksLike',
  'offsetSeconds',
  'problem',
  'proxies',
  'record',
  'records',
  'signature',
  'signingString',
  'similar'
])

/** The clock that a time is compared with, where nothing else is said. */
export const THIS_CLOCK = "this machine's clock"

/**
 * What was received and what was expected, and then the long facts.
 *
 * @param clock whose time the request was judged at
 */
export function facts(evidence: Evidence, clock = THIS_CLOCK, cause?: { readonly error: unknown }): Fact[] {
  const { bodyLength, contentLength, signingString } = evidence
  const found: (readonly [name: string, value: string | undefined])[] = [
    ...Object.entries(evidence).map(([name, value]) => [LABELS.get(name) ?? name, shown(name, value)] as const),
    [clock, receiverClock(evidence)],
    ['thrown', cause && thrown(cause.error)],
    ['body', bodyLength === undefined ? undefined : lengths(Number(bodyLength), contentLength)],
    ['record as found', recordShown(evidence)],
    ['corrected record', correctedShown(evidence)],
    ['signing string', signingString === undefined ? undefined : signedLines(String(signingString))]
  ]
  return found.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
}

/** `received a.example` */
export const factText = ({ name, value }: Fact): string => `${name} ${value}`

function shown(name: string, value: Evidence[string]): string | undefined {
  if (value === undefined || ELSEWHERE.has(name)) return undefined
  if (name === 'toleranceSeconds') return duration(Number(value))
  if (name === 'reason') return escapeText(inWords(String(value)))
  const time = name === 'created' || name === 'expires' ? httpDate(Number(value) * 1000) : undefined
  const text = escapeText(Array.isArray(value) ? listed(value) : String(value))
  return time === undefined ? text : `${text} (${time})`
}

/** Writes a value as text; a list is cut after so many items, because a receiver may have many accounts. */
export const textOf = (value: unknown, max: number): string =>
  Array.isArray(value) ? value.slice(0, max).join(', ') : String(value ?? '')

/** A receiver may have many accounts. */
function listed(items: readonly string[]): string {
  const more = items.length - 20
  return (textOf(items, 20) || 'nothing') + (more > 0 ? ` and ${more} more` : '')
}

function signedLines(signingString: string): string {
  const lines = signingString.split('\n').map((line, i) => (i < 100 ? escapeText(line, 600) : '...'))
  return lines.slice(0, 101).join('\n')
}

/** The length of the body, compared with the signed Content-Length. */
export function lengths(received: number, signed: Evidence[string]): string {
  const size = plural(received, 'byte')
  if (signed === undefined) return `${size}; Content-Length is not signed`
  const difference = received - Number(signed)
  if (difference === 0) return `${size}, as long as what was signed`
  const more = difference > 0 ? 'longer' : 'shorter'
  return `${plural(Math.abs(difference), 'byte')} ${more} than what was signed (${received} instead of ${signed})`
}

/** Writes a time as HTTP does, so that it can be compared with a Date header; undefined when there is no such time. */
function httpDate(time: number): string | undefined {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? undefined : date.toUTCString()
}

/** The time that this machine's clock showed, in milliseconds: the received time, less its offset from now. */
export function receiverTime({ received, created, expires, offsetSeconds }: Evidence): number {
  const date = parseHttpDate(String(received))
  const time = date.ok ? date.value.getTime() : Number(created ?? expires) * 1000
  return time - Number(offsetSeconds) * 1000
}

const receiverClock = (evidence: Evidence): string | undefined => httpDate(receiverTime(evidence))

/** Which way two clocks differ, and by how much: `Date is 8 minutes ahead of this machine's clock`. */
export function compareWithClock(evidence: Evidence, clock: string): string {
  const what = ['created', 'expires'].find(name => evidence[name] !== undefined) ?? 'Date'
  const offset = Number(evidence['offsetSeconds'])
  const time = receiverClock(evidence)
  const way = offset < 0 ? 'behind' : 'ahead of'
  return `${what} is ${duration(Math.abs(offset))} ${way} ${clock}${time ? ` (${time})` : ''}`
}

/**
 * What the receiver's own function threw: name and message, escaped and cut, and nothing else. The other properties of
 * an error may hold a connection string or a query's parameters.
 */
function thrown(error: unknown): string {
  try {
    const known: unknown = Object(error) === error ? error : { name: typeof error, message: String(error) }
    const { name, message } = known as Partial<Error>
    return escapeText([name, message].filter(Boolean).join(': ') || 'an error without a name', 300)
  } catch {
    return 'an error that cannot be read'
  }
}

/** A private key is in no output, wherever in the records it is. */
function recordShown({ record, records = [] }: Evidence): string | undefined {
  if (record === undefined) return undefined
  const show = hidePrivateKeys([String(record), ...[records].flat().map(String)])
  return escapeText(show(String(record)), 1000)
}

/** The first record of which a good one can be made, corrected. Whole, because it is to be copied. */
function correctedShown({ record = '', records = [record as string] }: Evidence): string | undefined {
  const texts = [records].flat().map(String)
  const corrected = texts.map(correctRecord).find(text => text !== undefined)
  return corrected === undefined ? undefined : escapeText(hidePrivateKeys(texts)(corrected), 4096)
}
