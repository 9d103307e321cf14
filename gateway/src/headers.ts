import type { Verdict, Verified } from 'signed-requests'
import type { HeaderLine } from './exchange.ts'

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

/** Content-Length of an answer stays: an answer to HEAD has the length of what GET would get. */
const HOP_BY_HOP_IN_ANSWERS = new Set([...HOP_BY_HOP].filter(name => name !== 'content-length'))

/**
 * Frameworks take them for the host, the path or the method, which were signed; `Proxy` becomes HTTP_PROXY (httpoxy).
 * The engines of docs/engines.md drop the same.
 */
export const REROUTING: ReadonlySet<string> = new Set([
  'forwarded',
  'proxy',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url'
])

const OURS = 'signed-request-'

/**
 * A name in lower case as CGI and its successors (PHP, WSGI, Rack) normalize it: `-` and `_` are the same there, in PHP
 * `.` too, and some servers replace every other character.
 */
const fold = (lower: string): string => lower.replace(/[^a-z0-9]/g, '-')

/**
 * The header lines of a request for the upstream: in order, in their case, without those that end at this hop, and
 * without any that an application could confuse with a signed one or with ours.
 *
 * @param consumed in lower case: what the proxy in front sets for this gateway
 */
export function requestHeaders(
  lines: readonly HeaderLine[],
  verdict: Verdict,
  isObserved: boolean,
  consumed: ReadonlySet<string>
): HeaderLine[] {
  // What is signed is end-to-end, whatever Connection says.
  const signed = new Set(verdict.status === 'verified' ? verdict.coveredHeaders.map(nameOf) : [])
  const signedFolded = new Set([...signed].map(fold))
  const named = namedByConnection(lines)
  const isKept = ([name]: HeaderLine): boolean => {
    const lower = name.toLowerCase()
    const folded = fold(lower)
    if (HOP_BY_HOP.has(folded) || folded.startsWith(OURS)) return false
    if (signed.has(lower) || lower === 'host') return true
    // A name with another character is somebody's CGI variable, such as SCRIPT_NAME of gunicorn.
    if (folded !== lower || signedFolded.has(folded)) return false
    return !named.has(lower) && !REROUTING.has(lower) && !consumed.has(lower)
  }
  return [...lines.filter(isKept), ...verdictHeaders(verdict, isObserved)]
}

/**
 * Does CGI take a name, signed or not, for one of ours, or one that is not signed for one that is? Its line cannot be
 * dropped where only the proxy forwards.
 */
export function isConfusable(lines: readonly HeaderLine[], { coveredHeaders }: Verified): boolean {
  const signed = new Set(coveredHeaders.map(nameOf))
  const signedFolded = new Set([...signed].map(fold))
  return lines.some(([name]) => {
    const lower = name.toLowerCase()
    const folded = fold(lower)
    if (folded !== lower && folded.startsWith(OURS)) return true
    return signedFolded.has(folded) && !signed.has(lower)
  })
}

/** The header lines of an answer for the sender, one after the other, as bytes in Latin-1. */
export function answerHeaders(status: number, raw: readonly Buffer[]): string[] {
  // RFC 9110 section 8.6: a 204 has no length, and a faulty one would be waited for.
  const dropped = status === 204 ? HOP_BY_HOP : HOP_BY_HOP_IN_ANSWERS
  const lines: HeaderLine[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    lines.push([raw[i]!.toString('latin1'), raw[i + 1]!.toString('latin1')])
  }
  const named = namedByConnection(lines)
  return lines.filter(([name]) => !dropped.has(name.toLowerCase()) && !named.has(name.toLowerCase())).flat()
}

/** What the application gets of a verified request; the id is empty without a replay store. */
export const grantHeaders = (verdict: Verified): Record<string, string> => ({
  'Signed-Request-Account': verdict.accountId,
  'Signed-Request-Key': verdict.keyId,
  'Signed-Request-Date': verdict.date.toUTCString(),
  'Signed-Request-Id': verdict.replayId ?? ''
})

function verdictHeaders(verdict: Verdict, isObserved: boolean): HeaderLine[] {
  const codes = verdict.failures.map(({ code }) => code).join(', ')
  const mark = codes === '' ? verdict.status : `${verdict.status}; ${codes}`
  const observed: HeaderLine[] = isObserved ? [['Signed-Request-Verdict', mark]] : []
  const granted = verdict.status === 'verified' ? Object.entries(grantHeaders(verdict)) : []
  return [...observed, ...granted.filter(([, value]) => value !== '')]
}

/** A covered component of RFC 9421 has parameters: `content-type;sf`. */
const nameOf = (component: string): string => component.replace(/;.*|"/gs, '')

/** Content-Length is never named: an answer must keep its own. */
function namedByConnection(lines: readonly HeaderLine[]): Set<string> {
  const named = lines
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
  return new Set(named.map(name => name.trim()).filter(name => name !== 'content-length'))
}
