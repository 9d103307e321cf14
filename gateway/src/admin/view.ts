import { isUtf8 } from 'node:buffer'
import { diagnose, logRecord, type Verdict, type VerifierOptions } from 'signed-requests'
import type { VectorFile } from 'signed-requests/recorder'
import { asciiJson, isSignedUnderDomain } from '../../../src/internal/index.ts'
import { asksAgain, type Exchange, mainCodes, otherDomainOf } from '../exchange.ts'
import { claimedSignature } from './signing.ts'

/** The parts of one request that are kept. */
export interface RecentExchange extends Exchange {
  /** counts up, also from one process to the next on the same machine */
  readonly number: number
  /** makes its fixture, which has what is kept of the body */
  readonly fixture: () => VectorFile
}

/** A line of the list. Every text from outside is printable ASCII here, and cut. */
export function overviewOf(exchange: RecentExchange): object {
  const { number, receivedAt, duration, method, target, verdict, status } = exchange
  const { accountId = '', keyId, claimedAccountId = '', claimedKeyId = '' } = logRecord(verdict)
  const elsewhere = otherDomainOf(verdict)
  return {
    number,
    // The request is signed, under the domain or another one; or it is anything else, such as a scanner's. A claim
    // until it has verified.
    list: isSignedUnderDomain(verdict) || elsewhere !== undefined ? 'signed' : 'other',
    receivedAt,
    duration: Math.round(duration),
    method: ascii(method, 20),
    target: ascii(target, 200),
    outcome: outcomeOf(exchange),
    status,
    account: accountId,
    claimed: claimedAccountId,
    key: keyId ?? claimedKeyId,
    note: [
      ...mainCodes(verdict),
      ...(elsewhere === undefined
        ? []
        : [`signed under ${ascii(elsewhere, 255)}: ask the service whether that domain is theirs`]),
      ...troubleOf(exchange)
    ].join(', '),
    checks: Object.values(verdict.checks).map(({ outcome }) => outcome)
  }
}

/** Lists the failures behind the gateway. */
function troubleOf({ upstream, upstreamError, status }: Exchange): string[] {
  if (upstreamError !== undefined) return [`upstream ${upstream} ${upstreamError}`]
  return upstream === 'answered' && status >= 500 ? [`the application answered ${status}`] : []
}

export type Outcome = 'verified' | 'refused' | 'asked-again' | 'unavailable' | 'forwarded'

/** Returns the outcome of a request: one that was forwarded while observing was not refused, whatever its verdict. */
export function outcomeOf({ verdict, upstream, status }: Pick<Exchange, 'verdict' | 'upstream' | 'status'>): Outcome {
  if (verdict.status === 'verified') return 'verified'
  if (upstream !== 'not-asked') return 'forwarded'
  if (verdict.status === 'unavailable') return 'unavailable'
  return asksAgain(status) ? 'asked-again' : 'refused'
}

/** All details of one request. */
export function detailOf(exchange: RecentExchange, options: VerifierOptions, redact: boolean): object {
  const { verdict, method, target, headers, https } = exchange
  const claimed = claimedSignature(exchange, options.serviceDomain)
  const built = claimed?.build()
  const document = exchange.fixture()
  const { request } = document.vectors[0]!
  const isBlank = (value: string, i: number): boolean => value !== '' && request.headers[i]?.[1] === ''
  const blank = headers.flatMap(([name, value], i) => (isBlank(value, i) ? [name.toLowerCase()] : []))
  // Without all of a body that was right, the fixture would get another verdict.
  const isComplete = verdict.checks.digest.outcome !== 'pass' || !isCut(request.body)
  const fixture = isComplete ? shellJson(document) : undefined
  return {
    ...overviewOf(exchange),
    method: ascii(method, 1000),
    target: ascii(target, 2000),
    https,
    upstream: exchange.upstream,
    diagnosis: diagnose(verdict, { settings: 'flags' }),
    signing: built?.ok ? built.value.split('\n').map(line => ascii(lineWithout(blank, line), 1000)) : [],
    headers: headers.map(([name, value], i) => ({
      name: ascii(name, 100),
      value: ascii(request.headers[i]?.[1] ?? '', 1000),
      isBlank: isBlank(value, i),
      isSigned: claimed?.covered.includes(name.toLowerCase()) ?? false
    })),
    body: shownBody(request.body, verdict, redact),
    fixture,
    command: fixture && `npx signed-requests explain <<'END'\n${fixture}\nEND\n`
  }
}

/** Leaves out the value of a line of the signing string: anybody can list a header that a proxy in front has added. */
function lineWithout(blank: readonly string[], line: string): string {
  const [, label, name = ''] = /^("?([^":;]*)(?:"[^:]*)?): /.exec(line) ?? []
  return blank.includes(name.toLowerCase()) ? `${label}: (left out)` : line
}

type FixtureBody = VectorFile['vectors'][number]['request']['body']

const bytesOf = (body: NonNullable<FixtureBody>): Buffer => {
  if ('utf8' in body) return Buffer.from(body.utf8)
  return Buffer.from('base64' in body ? body.base64 : '', 'base64')
}

/** Returns whether a fixture has only the beginning of a body. */
const isCut = (body: FixtureBody): boolean => body !== null && 'length' in body && body.length !== undefined

/** Bytes of a body that are shown. */
const PREVIEW_BYTES = 4096

/** The beginning of the body: as text where it is UTF-8, and else in hex. */
function shownBody(body: FixtureBody, { checks }: Verdict, redact: boolean): { note: string; text: string } {
  const isRead = checks.signature.outcome === 'pass'
  const bytes = body === null ? Buffer.alloc(0) : bytesOf(body)
  const { length = bytes.length, error } = { ...body } as { length?: number; error?: string }
  if (isRead && length === 0 && error === undefined) return { note: EMPTY, text: '' }
  if (redact) return { note: 'Bodies are not shown (--redact).', text: '' }
  if (!isRead) return { note: NOT_READ, text: '' }
  const start = bytes.subarray(0, PREVIEW_BYTES)
  const isBeginning = length > start.length
  // A character at the end may be cut in two.
  const utf8 = [0, 1, 2, 3].map(cut => start.subarray(0, isBeginning ? start.length - cut : undefined)).find(isUtf8)
  const notes = [
    `${length} bytes${utf8 ? '' : ' in hex, as it is not UTF-8'}`,
    ...(isBeginning ? ['the beginning'] : []),
    ...(error === undefined ? [] : [`and the rest did not arrive (${ascii(error, 200)})`])
  ]
  const hex = () => start.toString('hex').replace(/..(?=.)/g, '$& ')
  return { note: notes.join(', '), text: utf8?.toString().replace(INVISIBLE, asEscape) ?? hex() }
}

const EMPTY = 'The body is empty.'
const NOT_READ = 'The body was not read: the gateway reads it only after the signature has verified.'

/** Control and format characters (bidirectional ones too), line and paragraph separators, unassigned code points. */
const INVISIBLE = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu

const asEscape = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** Shows a text from outside, escaped and cut; the fixture has all of it. */
const ascii = (text: string, max: number): string =>
  text.slice(0, max).replace(/[^ -~]/gu, asEscape) + (text.length > max ? '...' : '')

/** JSON that an interactive shell takes as it is: its history expansion reads here-documents, too. */
const shellJson = (value: object): string => asciiJson(value).replaceAll('!', '\\u0021')
