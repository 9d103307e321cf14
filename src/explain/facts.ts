import { parseHttpDate } from '../http/http-date.ts'
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

/** Why DNS has no key, in words. */
const REASONS: Evidence = {
  ENOTFOUND: 'ENOTFOUND, there is no such name in DNS',
  ENODATA: 'ENODATA, the name has no TXT record'
}

/** Shown in other facts and in the cause instead. */
const ELSEWHERE = /^(?:offset|record|signature$|signingS|bodyL|contentL|reenc|change|forwarded|hosts|similar)/

const MAX_SIGNED_LINES = 100
/** Of a list, such as the accounts. */
const MAX_ITEMS = 20

/** What was received and what was expected, and then the long facts. */
export function facts(evidence: Evidence, cause?: { readonly error: unknown }): Fact[] {
  const { bodyLength, contentLength, record, signingString } = evidence
  const found: [name: string, value: string | undefined][] = Object.entries(evidence)
    .filter(([name, value]) => value !== undefined && !ELSEWHERE.test(name))
    .map(([name, value]) => [LABELS.get(name) ?? name, shown(name, value)])
  found.push(
    ["this machine's clock", receiverClock(evidence)],
    ['thrown', cause && thrown(cause.error)],
    ['body', bodyLength === undefined ? undefined : lengths(Number(bodyLength), contentLength)],
    ['record as found', record === undefined ? undefined : escapeText(String(record), 1000)],
    ['signing string', signingString === undefined ? undefined : signedLines(String(signingString))]
  )
  return found.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
}

/** `received a.example` */
export const factText = ({ name, value }: Fact): string => `${name} ${value}`

function shown(name: string, value: Evidence[string]): string {
  if (name === 'toleranceSeconds') return duration(Number(value))
  if (name === 'reason' && Object.hasOwn(REASONS, String(value))) return String(REASONS[String(value)])
  const time = name === 'created' || name === 'expires' ? httpDate(Number(value) * 1000) : undefined
  const text = escapeText(Array.isArray(value) ? listed(value) : String(value))
  return time === undefined ? text : `${text} (${time})`
}

/** As text; of a list no more than so many items, because a receiver may have many accounts. */
export const textOf = (value: unknown, max: number): string =>
  Array.isArray(value) ? value.slice(0, max).join(', ') : String(value ?? '')

const listed = (items: readonly string[]): string => {
  const more = items.length - MAX_ITEMS
  return (textOf(items, MAX_ITEMS) || 'nothing') + (more > 0 ? ` and ${more} more` : '')
}

function signedLines(signingString: string): string {
  const lines = signingString.split('\n', MAX_SIGNED_LINES + 1).map(line => escapeText(line, 600))
  if (lines.length > MAX_SIGNED_LINES) lines[MAX_SIGNED_LINES] = '...'
  return lines.join('\n')
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

/** As HTTP writes it, so that it can be compared with a Date header; undefined when there is no such time. */
const httpDate = (time: number): string | undefined =>
  new Date(time).toUTCString().replace('Invalid Date', '') || undefined

/** The time that this machine's clock showed: the received time, less its offset from now. */
function receiverClock({ received, created, expires, offsetSeconds }: Evidence): string | undefined {
  const date = parseHttpDate(String(received))
  const time = date.ok ? date.value.getTime() : Number(created ?? expires) * 1000
  return httpDate(time - Number(offsetSeconds) * 1000)
}

/** Which way two clocks differ, and by how much: `Date is 8 minutes ahead of this machine's clock`. */
export function compareWithClock(evidence: Evidence): string {
  const what = ['created', 'expires'].find(name => evidence[name] !== undefined) ?? 'Date'
  const offset = Number(evidence['offsetSeconds'])
  const clock = receiverClock(evidence)
  const way = offset < 0 ? 'behind' : 'ahead of'
  const now = clock === undefined ? '' : ` (${clock})`
  return `${what} is ${duration(Math.abs(offset))} ${way} this machine's clock${now}`
}

/** Long enough for any useful message, short enough not to fill a log. */
const MAX_MESSAGE = 300

/**
 * What the receiver's own function threw: name and message, escaped and cut, and nothing else. The other properties of
 * an error may hold a connection string or a query's parameters.
 */
function thrown(error: unknown): string {
  const isObject = typeof error === 'object' && error !== null
  try {
    const known = (isObject ? error : { name: typeof error, message: String(error) }) as Partial<Error>
    const { name = 'an error without a name', message = '' } = known
    return escapeText(message === '' ? name : `${name}: ${message}`, MAX_MESSAGE)
  } catch {
    return 'an error that cannot be read'
  }
}
