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
const LABELS: Readonly<Record<string, string>> = {
  allowed: 'expected',
  actual: 'received',
  decompressed: 'Content-Encoding',
  excerpt: 'near',
  reason: 'because',
  servers: 'asked',
  toleranceSeconds: 'expected within'
}

/** Shown in other facts and in the cause instead. */
const ELSEWHERE = /^(?:offset|record|signature$|signingS|bodyL|contentL|reenc|change|forwarded|hosts|similar)/

const MAX_SIGNED_LINES = 100
/** Of a list, such as the accounts. */
const MAX_ITEMS = 20

/** What was received and what was expected, and then the long facts. */
export function facts(evidence: Evidence, cause?: { readonly error: unknown }): Fact[] {
  const { bodyLength, contentLength, record, signingString } = evidence
  const found: Fact[] = []
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined) found.push({ name, value })
  }
  for (const [name, value] of Object.entries(evidence)) {
    if (value !== undefined && !ELSEWHERE.test(name))
      add(Object.hasOwn(LABELS, name) ? LABELS[name]! : name, shown(name, value))
  }
  add("this machine's clock", receiverClock(evidence))
  if (cause !== undefined) found.push(...thrownFacts(cause.error))
  if (bodyLength !== undefined) add('body', lengths(Number(bodyLength), contentLength))
  if (record !== undefined) add('record as found', escapeText(String(record), 1000))
  if (signingString !== undefined) add('signing string', signedLines(String(signingString)))
  return found
}

/** `received a.example` */
export const factText = ({ name, value }: Fact): string => `${name} ${value}`

function shown(name: string, value: Evidence[string]): string {
  if (name === 'toleranceSeconds') return duration(Number(value))
  const time = name === 'created' || name === 'expires' ? httpDate(Number(value) * 1000) : undefined
  const text = escapeText(Array.isArray(value) ? listed(value) : String(value))
  return time === undefined ? text : `${text} (${time})`
}

const listed = (items: readonly string[]): string => {
  const more = items.length - MAX_ITEMS
  return (items.slice(0, MAX_ITEMS).join(', ') || 'nothing') + (more > 0 ? ` and ${more} more` : '')
}

function signedLines(signingString: string): string {
  const lines = signingString.split('\n', MAX_SIGNED_LINES + 1)
  const all = lines.slice(0, MAX_SIGNED_LINES).map(line => escapeText(line, 600))
  return [...all, ...(lines.length > MAX_SIGNED_LINES ? ['...'] : [])].join('\n')
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
  if (offsetSeconds === undefined) return undefined
  const seconds = created ?? expires
  const date = seconds === undefined ? parseHttpDate(String(received)) : undefined
  const stated =
    seconds === undefined ? (date?.ok ? date.value.getTime() : Number.NaN) : Number(seconds) * 1000
  return httpDate(stated - Number(offsetSeconds) * 1000)
}

/** Which way two clocks differ, and by how much: `Date is 8 minutes ahead of this machine's clock`. */
export function compareWithClock(evidence: Evidence): string {
  const { received, created } = evidence
  const what = received !== undefined ? 'Date' : created !== undefined ? 'created' : 'expires'
  const offset = Number(evidence['offsetSeconds'])
  const clock = receiverClock(evidence)
  const way = offset < 0 ? 'behind' : 'ahead of'
  const now = clock === undefined ? '' : ` (${clock})`
  return `${what} is ${duration(Math.abs(offset))} ${way} this machine's clock${now}`
}

/** Long enough for any useful message, short enough not to fill a log. */
const MAX_MESSAGE = 300

/**
 * What the receiver's own function threw: name, message and place, each escaped and cut, and nothing else. The other
 * properties of an error may hold a connection string or a query's parameters.
 */
function thrownFacts(error: unknown): Fact[] {
  try {
    const isObject = typeof error === 'object' && error !== null
    const known = (isObject ? error : { name: typeof error, message: String(error) }) as Partial<Error>
    const { name = 'an error without a name', message: text = '', stack = '' } = known
    const thrown = {
      name: 'thrown',
      value: escapeText(`${name}${text === '' ? '' : `: ${text}`}`, MAX_MESSAGE)
    }
    const place = placeIn(String(stack), String(text))
    return place === undefined ? [thrown] : [thrown, { name: 'at', value: escapeText(place, MAX_MESSAGE) }]
  } catch {
    return [{ name: 'thrown', value: 'an error that cannot be read' }]
  }
}

/** More than any runtime keeps by default. */
const MAX_LINES = 100

/** The first place in the receiver's own code: neither in a package nor in the runtime. */
function placeIn(stack: string, message: string): string | undefined {
  // The message comes first, and may have lines that look like places.
  const start = message === '' ? -1 : stack.indexOf(message)
  const lines = (start === -1 ? stack : stack.slice(start + message.length)).split('\n', MAX_LINES)
  const place = lines.find(
    line => /^\s*at .|^[^\s]*@/.test(line) && !/[\\/]node_modules[\\/]|\bnode:|<anonymous>|native/.test(line)
  )
  return place?.trim().replace(/^at /, '')
}
