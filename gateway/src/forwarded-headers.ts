import type { HeaderLine } from '../../src/http/request.ts'
import type { Verdict } from '../../src/verdict/verdict.ts'

/**
 * RFC 9110 section 7.6.1, and what this hop answers or sets itself. Content-Length is that of the verified bytes;
 * the trailers that Trailer announces are dropped.
 */
const HOP_BY_HOP = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade'
])

/** For answers, Content-Length stays: an answer to HEAD has the length of what GET would get. */
const HOP_BY_HOP_IN_ANSWERS = new Set([...HOP_BY_HOP].filter(name => name !== 'content-length'))

const OURS = 'signed-request-'

/**
 * CGI and its successors (PHP, WSGI, Rack) normalize names: `-` and `_` are the same there, in PHP `.` too, and some
 * servers replace every other character.
 */
const folded = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '-')

/**
 * The header lines of a request for the upstream: in order, in their case, without those that end at this hop, and
 * without any that an application could confuse with a signed one or with ours.
 *
 * @param covered the names that the signature covers, in lower case: they are end-to-end, whatever Connection says
 */
export function requestHeaders(
  lines: readonly HeaderLine[],
  covered: readonly string[],
  added: readonly HeaderLine[]
): HeaderLine[] {
  const signed = new Set(covered.map(nameOf))
  const signedFolded = new Set([...signed].map(folded))
  const named = namedByConnection(lines)
  const isKept = ([name]: HeaderLine): boolean => {
    const lower = name.toLowerCase()
    const fold = folded(name)
    if (HOP_BY_HOP.has(fold) || fold.startsWith(OURS)) return false
    if (signed.has(lower) || lower === 'host') return true
    // CGI turns it into HTTP_PROXY, which clients in the application use as their proxy (httpoxy).
    return !named.has(lower) && !signedFolded.has(fold) && fold !== 'proxy'
  }
  return [...lines.filter(isKept), ...added]
}

/** The header lines of an answer for the sender. */
export function answerHeaders(rawHeaders: readonly string[]): HeaderLine[] {
  const lines: HeaderLine[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push([rawHeaders[i]!, rawHeaders[i + 1]!])
  const named = namedByConnection(lines)
  return lines.filter(([name]) => {
    const lower = name.toLowerCase()
    return !HOP_BY_HOP_IN_ANSWERS.has(lower) && !named.has(lower)
  })
}

/** The verdict, for the application. */
export function verdictHeaders(verdict: Verdict, isObserved: boolean): HeaderLine[] {
  const codes = verdict.failures.map(({ code }) => code).join(', ')
  const mark = codes === '' ? verdict.status : `${verdict.status}; ${codes}`
  const observed: HeaderLine[] = isObserved ? [['Signed-Request-Verdict', mark]] : []
  if (verdict.status !== 'verified') return observed
  return [
    ...observed,
    ['Signed-Request-Account', verdict.accountId],
    ['Signed-Request-Key', verdict.keyId],
    ['Signed-Request-Date', verdict.date.toUTCString()],
    ...(verdict.replayId === undefined ? [] : [['Signed-Request-Id', verdict.replayId] as const])
  ]
}

/** A covered component of RFC 9421 has parameters: `content-type;sf`. */
const nameOf = (component: string): string => component.split(';', 1)[0]!.replaceAll('"', '')

/** Content-Length is never named: an answer must keep its own. */
function namedByConnection(lines: readonly HeaderLine[]): Set<string> {
  const named = lines
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
  return new Set(named.map(name => name.trim()).filter(name => name !== 'content-length'))
}
