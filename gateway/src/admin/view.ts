import { isUtf8 } from 'node:buffer'
import { diagnose, type VerifierOptions } from 'signed-requests'
import { captureFixture } from 'signed-requests/testing'
import { asksAgain, type Exchange, mainCodes, otherDomainOf } from '../exchange.ts'
import { claimedSignature } from './signing.ts'

/** What is kept of one request. */
export interface KeptExchange extends Exchange {
  /** counts up, also from one process to the next on the same machine */
  readonly number: number
  /** with a `Signature` under the domain or another one; or anything else, such as scanners */
  readonly list: 'signed' | 'other'
  /** the same: a claim until the signature has verified */
  readonly isSigned: boolean
  /** of the whole body, in bytes, of which `body` may be the beginning; undefined when it was not read to its end */
  readonly bodyLength: number | undefined
  /** what it has in the header of the account */
  readonly claimedAccount: string
  /** what DNS answered about the key */
  readonly dns: Readonly<Record<string, string[][]>> | undefined
}

/** A line of the list. Every text from outside is printable ASCII here, and cut. */
export function rowOf(kept: KeptExchange): object {
  const { number, list, receivedAt, duration, method, target, verdict, status } = kept
  const elsewhere = otherDomainOf(verdict)
  return {
    number,
    list,
    receivedAt,
    duration: Math.round(duration),
    method: ascii(method, 20),
    target: ascii(target, 200),
    outcome: outcomeOf(kept),
    status,
    account: verdict.status === 'verified' ? ascii(verdict.accountId, 255) : '',
    claimed: ascii(kept.claimedAccount, 255),
    note: [
      ...mainCodes(verdict),
      ...(elsewhere === undefined
        ? []
        : [`signed under ${ascii(elsewhere, 255)}: ask the service whether it is theirs`]),
      ...troubleOf(kept)
    ].join(', '),
    checks: Object.values(verdict.checks).map(({ outcome }) => outcome)
  }
}

/** What went wrong behind the gateway. */
function troubleOf({ upstream, upstreamError, status }: Exchange): string[] {
  if (upstreamError !== undefined) return [`upstream ${upstream} ${upstreamError}`]
  return upstream === 'answered' && status >= 500 ? [`the application answered ${status}`] : []
}

export type Outcome = 'verified' | 'refused' | 'asked-again' | 'unavailable' | 'forwarded'

/** What happened to a request: one that was forwarded while observing was not refused, whatever its verdict. */
export function outcomeOf({ verdict, upstream, status }: Pick<Exchange, 'verdict' | 'upstream' | 'status'>): Outcome {
  if (verdict.status === 'verified') return 'verified'
  if (upstream !== 'not-asked') return 'forwarded'
  if (verdict.status === 'unavailable') return 'unavailable'
  return asksAgain(status) ? 'asked-again' : 'refused'
}

/** All details of one request. */
export function detailOf(kept: KeptExchange, options: VerifierOptions, redact: boolean): object {
  const { verdict, method, target, headers, https } = kept
  const claimed = claimedSignature(kept, options.serviceDomain)
  const built = claimed?.build()
  const whole = kept.body?.length === kept.bodyLength ? kept.body : undefined
  const document = captureFixture({ ...kept, body: null }, verdict, {
    options,
    redact,
    now: kept.receivedAt,
    name: `request-${kept.number}`,
    source: 'captured by the gateway',
    ...(whole && { body: whole }),
    // What is kept of a verified request is a copy of its verdict, without the body.
    ...(kept.dns && verdict.status === 'verified' && { dns: kept.dns })
  })
  const shown = document.vectors[0]?.request.headers ?? []
  // The body decides once the signature has verified; without it, the fixture would get another verdict.
  const isComplete = verdict.checks.signature.outcome !== 'pass' || whole !== undefined
  const fixture = isComplete ? asciiJson(document) : undefined
  return {
    ...rowOf(kept),
    method: ascii(method, 1000),
    target: ascii(target, 2000),
    https,
    upstream: kept.upstream,
    diagnosis: diagnose(verdict, { settings: 'flags' }),
    signing: built?.ok ? built.value.split('\n').map(line => ascii(line, 1000)) : [],
    headers: headers.map(([name, value], i) => ({
      name: ascii(name, 100),
      value: ascii(shown[i]?.[1] ?? '', 1000),
      isBlank: value !== '' && shown[i]?.[1] === '',
      isSigned: claimed?.covered.includes(name.toLowerCase()) ?? false
    })),
    body: bodyOf(kept, redact),
    fixture,
    command: fixture && `npx signed-requests explain <<'END'\n${fixture}\nEND\n`
  }
}

/** Bytes of a body that are shown. */
const PREVIEW_BYTES = 4096

/** The beginning of the body: as text where it is UTF-8, and else in hex. */
function bodyOf({ body, bodyLength }: KeptExchange, redact: boolean): { note: string; text: string } {
  if (bodyLength === 0) return { note: 'The body is empty.', text: '' }
  if (redact) return { note: 'Bodies are not shown (--redact).', text: '' }
  if (body === undefined || bodyLength === undefined) return { note: NOT_KEPT, text: '' }
  const start = Buffer.from(body.subarray(0, PREVIEW_BYTES))
  const isCut = bodyLength > start.length
  // A character at the end may be cut in two.
  const utf8 = [0, 1, 2, 3].map(cut => start.subarray(0, isCut ? start.length - cut : undefined)).find(isUtf8)
  const note = `${bodyLength} bytes${utf8 ? '' : ' in hex, as it is not UTF-8'}${isCut ? ', the beginning' : ''}`
  const hex = () => start.toString('hex').replace(/..(?=.)/g, '$& ')
  return { note, text: utf8?.toString().replace(INVISIBLE, asEscape) ?? hex() }
}

const NOT_KEPT =
  'The body was not kept: it is read only after the signature has verified, and of a refused request 64 KiB are kept.'

/** Control and format characters (bidirectional ones too), line and paragraph separators, unassigned code points. */
const INVISIBLE = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu

const asEscape = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** What is shown of a text from outside; the fixture has all of it. */
const ascii = (text: string, max: number): string =>
  text.slice(0, max).replace(/[^ -~]/gu, asEscape) + (text.length > max ? '...' : '')

/** JSON that a terminal takes as it is: no history expansion either. */
const asciiJson = (value: object): string =>
  JSON.stringify(value, null, 2).replace(
    /[^ "-~\n]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
