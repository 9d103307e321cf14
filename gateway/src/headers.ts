import type { Verdict, Verified } from 'signed-requests'
import { HOP_BY_HOP, isSameList, memoizeRecent } from '../../src/internal/index.ts'
import type { HeaderLine } from './exchange.ts'

/**
 * Headers of one hop (RFC 9110 section 7.6.1), and those that this hop answers or sets itself. Content-Length is that
 * of the verified bytes; the trailers that Trailer announces are dropped.
 */
const MADE_HERE = new Set([...HOP_BY_HOP, 'content-length'])

/**
 * Headers that frameworks and middlewares take for the host, the path, the scheme or the method, which were signed;
 * `Proxy` becomes HTTP_PROXY (httpoxy). Each new framework brings another name, so most of them are a pattern.
 */
const REROUTING_PREFIXES = ['x-forwarded-', 'x-original-', 'x-rewrite-', 'x-http-', 'x-envoy-', 'x-vhm-'] as const
const REROUTING_NAMES: ReadonlySet<string> = new Set([
  'forwarded',
  'front-end-https',
  'proxy',
  'x-method-override',
  'x-scheme',
  'x-script-name',
  'x-url-scheme'
])

/** The exceptions: an address is not signed, and X-Forwarded-Proto is what `--https x-forwarded-proto` consumes. */
const NOT_REROUTING: ReadonlySet<string> = new Set(['x-forwarded-for', 'x-forwarded-proto'])

/**
 * Returns whether an application could take this header for a signed part of the request. The engines of
 * docs/engines.md drop the same.
 *
 * @param lower the name in lower case
 */
export const isRerouting = (lower: string): boolean =>
  REROUTING_NAMES.has(lower) ||
  (REROUTING_PREFIXES.some(prefix => lower.startsWith(prefix)) && !NOT_REROUTING.has(lower))

const OURS = 'signed-request-'

/**
 * Normalizes a name in lower case as CGI and its successors (PHP, WSGI, Rack) do: `-` and `_` are the same there, in
 * PHP `.` too, and some servers replace every other character.
 */
const fold = (lower: string): string => lower.replace(/[^a-z0-9]/g, '-')

/**
 * Makes the header lines of a request for the upstream, ours first: a server that drops lines above a limit drops the
 * last ones. The sender's lines keep their order and their case, without those that end at this hop, and without any
 * that an application could confuse with a signed one or with ours.
 *
 * A signed name is one line, as it was signed: of several lines an application sees one (`Authorization` in Node.js,
 * any name in PHP). The lines of two signed names are in the order in which they were signed: CGI may take one name for
 * the other, and the order of lines is not signed.
 *
 * @param consumed in lower case: the headers that the proxy in front sets for this gateway
 */
export function requestHeaders(
  lines: readonly HeaderLine[],
  verdict: Verdict,
  isObserved: boolean,
  consumed: ReadonlySet<string>
): HeaderLine[] {
  const all = verdictHeaders(verdict, isObserved)
  const covered = verdict.status === 'verified' ? verdict.coveredHeaders : undefined
  const plan = planOf({ names: lines.map(nameOfLine), connection: connectionOf(lines), covered, consumed })
  for (const [first, ...more] of plan) {
    const line = lines[first]!
    all.push(more.length === 0 ? line : [line[0], [line, ...more.map(at => lines[at]!)].map(valueOfLine).join(', ')])
  }
  return all
}

const nameOfLine = ([name]: HeaderLine): string => name
const valueOfLine = ([, value]: HeaderLine): string => value

/** Decides which lines of a request are forwarded. */
interface Head {
  readonly names: readonly string[]
  readonly connection: string | undefined
  /** undefined where nothing is signed */
  readonly covered: readonly string[] | undefined
  readonly consumed: ReadonlySet<string>
}

/** For each line that goes on, the lines that it is made of. */
type Plan = readonly (readonly [first: number, ...more: number[]])[]

/** A sender repeats itself: a plan takes as long as the hash of a body of 4 KB. */
const planOf = memoizeRecent(planHeaders, isSameHead)

function isSameHead(a: Head, b: Head): boolean {
  if (a.connection !== b.connection || a.consumed !== b.consumed) return false
  return isSameList(a.names, b.names) && isSameList(a.covered ?? [], b.covered ?? []) && !a.covered === !b.covered
}

function planHeaders({ names, connection, covered, consumed }: Head): Plan {
  // Signed headers are end-to-end, whatever Connection says.
  const signed = new Set((covered ?? []).map(nameOf))
  const signedFolded = new Set([...signed].map(fold))
  const named = namesIn(connection)
  const isForwarded = (lower: string): boolean => {
    const folded = fold(lower)
    if (MADE_HERE.has(folded) || folded.startsWith(OURS)) return false
    if (signed.has(lower) || lower === 'host') return true
    // A name with another character can be a CGI variable, such as SCRIPT_NAME of gunicorn.
    if (folded !== lower || signedFolded.has(folded)) return false
    return !named.has(lower) && !isRerouting(lower) && !consumed.has(lower)
  }
  const forwarded = names.flatMap((name, at) => (isForwarded(name.toLowerCase()) ? [at] : []))
  return joinSigned(forwarded, at => names[at]!.toLowerCase(), signed)
}

/** Joins the lines of each signed name into one, in the place of the first. */
function joinSigned(forwarded: readonly number[], nameAt: (at: number) => string, signed: ReadonlySet<string>): Plan {
  const linesOf = new Map([...signed].map(name => [name, [] as number[]]))
  for (const at of forwarded) linesOf.get(nameAt(at))?.push(at)
  const joined = [...linesOf.values()].filter(lines => lines.length > 0)
  return forwarded.flatMap((at): number[][] => {
    const sameName = linesOf.get(nameAt(at))
    if (sameName === undefined) return [[at]]
    return sameName[0] === at ? [joined.shift()!] : []
  }) as unknown as Plan
}

/** Lists the names in the order in which they were signed. */
export const signedNames = ({ coveredHeaders }: Verified): Set<string> => new Set(coveredHeaders.map(nameOf))

/**
 * Returns whether CGI takes a name, signed or not, for one of ours, or another name for a signed one. Its line cannot
 * be dropped where only the proxy forwards. Of two signed names the order decides which one an application sees, and
 * the order is not signed.
 */
export function isConfusable(lines: readonly HeaderLine[], verified: Verified): boolean {
  const signed = signedNames(verified)
  const signedFolded = new Set([...signed].map(fold))
  if (signedFolded.size < signed.size) return true
  return lines.some(([name]) => {
    const lower = name.toLowerCase()
    const folded = fold(lower)
    if (folded !== lower && folded.startsWith(OURS)) return true
    return signedFolded.has(folded) && !signed.has(lower)
  })
}

/**
 * Returns whether a signed header came in several lines. An application may see one of them, and all of them were
 * signed as one.
 */
export function isRepeated(lines: readonly HeaderLine[], verified: Verified): boolean {
  const signed = signedNames(verified)
  const names = lines.map(([name]) => name.toLowerCase()).filter(name => signed.has(name))
  return new Set(names).size < names.length
}

/** Makes the header lines of an answer for the sender, one after the other, as bytes in Latin-1. */
export function answerHeaders(status: number, raw: readonly Buffer[]): string[] {
  // RFC 9110 section 8.6: a 204 has no length, and a faulty one would be waited for. The answer to HEAD keeps its own.
  const dropped = status === 204 ? MADE_HERE : HOP_BY_HOP
  const lines: HeaderLine[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    lines.push([raw[i]!.toString('latin1'), raw[i + 1]!.toString('latin1')])
  }
  const named = namesIn(connectionOf(lines))
  const all: string[] = []
  for (const [name, value] of lines) {
    const lower = name.toLowerCase()
    if (!dropped.has(lower) && !named.has(lower)) all.push(name, value)
  }
  return all
}

/** Makes the headers that the application gets with a verified request; the id is empty without a replay store. */
export const grantHeaders = (verdict: Verified): Record<string, string> => ({
  'Signed-Request-Account': verdict.accountId,
  'Signed-Request-Key': verdict.keyId,
  'Signed-Request-Date': verdict.date.toUTCString(),
  'Signed-Request-Id': verdict.replayId ?? ''
})

function verdictHeaders(verdict: Verdict, isObserved: boolean): HeaderLine[] {
  const lines: HeaderLine[] = []
  if (isObserved) {
    const codes = verdict.failures.map(({ code }) => code).join(', ')
    lines.push(['Signed-Request-Verdict', codes === '' ? verdict.status : `${verdict.status}; ${codes}`])
  }
  if (verdict.status !== 'verified') return lines
  for (const line of Object.entries(grantHeaders(verdict))) if (line[1] !== '') lines.push(line)
  return lines
}

/** A covered component of RFC 9421 has parameters: `content-type;sf`. */
const nameOf = (component: string): string => component.replace(/;.*|"/gs, '')

/** Joins the values of Connection. */
function connectionOf(lines: readonly HeaderLine[]): string | undefined {
  let all: string | undefined
  for (const [name, value] of lines)
    if (name.length === CONNECTION.length && name.toLowerCase() === CONNECTION)
      all = all === undefined ? value : `${all},${value}`
  return all
}

const CONNECTION = 'connection'

/** Lists the names in Connection without Content-Length: an answer must keep its own. */
const namesIn = memoizeRecent((connection: string | undefined): ReadonlySet<string> => {
  const names = connection?.toLowerCase().split(',') ?? []
  return new Set(names.map(name => name.trim()).filter(name => name !== 'content-length'))
})
