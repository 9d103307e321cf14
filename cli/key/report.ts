import type { Failed, KeyLimits, Result } from '../../src/index.ts'
import {
  aside,
  correctRecord,
  escapeText,
  type FactId,
  factsOn,
  factText,
  hidePrivateKeys,
  inWords,
  isUnavailable,
  joinStrings,
  type Line,
  looksLikeKeyRecord,
  MAX_RECORD_LENGTH,
  parseKey,
  THIS_CLOCK,
  TONES,
  type TxtAnswer,
  withTone,
  wrapExact,
  wrapWords
} from '../../src/internal/index.ts'
import { isNotAsked, NOT_ASKED } from './ask.ts'
import { type FoundRecord, findSigner, type SignedRequest } from './signed-by.ts'
import { findKeyProblem, seconds, summarizeLookup } from './summary.ts'
import type { Hop, ServerReport, Trace } from './trace.ts'

/** All known facts about a name, as plain data without private keys. Escape the text in it. */
export type KeyReport = ReturnType<typeof reportOn>

/** The input of a report: the answer of the receiver's own lookup, of the name servers, and a captured request. */
interface Found {
  readonly name: string
  readonly reply: Result<TxtAnswer>
  readonly trace: Trace | undefined
  readonly signed: Result<SignedRequest> | undefined
  /** there are reports on other names */
  readonly isOneOfSeveral?: boolean
}

export function reportOn({ name, reply, trace, signed, isOneOfSeveral = false }: Found, limits: KeyLimits) {
  const texts = reply.ok ? reply.value.map(joinStrings) : []
  const problem = reply.ok ? undefined : describeFailure(reply)
  const error = !reply.ok && isUnavailable(reply.code) ? problem : undefined
  const isUsable = texts.length > 0 && findKeyProblem(texts, limits) === undefined
  const refusal = error === undefined ? 'unusable' : 'unavailable'
  const status: keyof typeof TONES = isUsable ? 'usable' : refusal
  const hops = trace?.hops ?? []
  const show = hidePrivateKeys([...texts, ...hops.flatMap(hop => hop.servers.flatMap(({ texts = [] }) => texts))])
  const where = isOneOfSeveral ? `of ${name}` : ''
  const request = signed && findSigner(signed, name, findRecords(texts, hops, where), limits, error, where)
  const shown = (server: ServerReport) => ({ ...server, texts: server.texts?.map(show) })
  return {
    name,
    request: request && { ...request, record: request.record && show(request.record) },
    conclusion: summarizeLookup(texts, error, limits, trace),
    status,
    problem,
    records: texts.map(text => {
      const corrected = correctRecord(text)
      return {
        is: describeRecord(text, limits),
        text: show(text),
        ...(corrected !== undefined && { corrected: show(corrected) })
      }
    }),
    trace: trace && { ...trace, hops: hops.map(hop => ({ ...hop, servers: hop.servers.map(shown) })) }
  }
}

/** Lists the records of the receiver's DNS server, and then those that only name servers have. */
function findRecords(texts: readonly string[], hops: readonly Hop[], where: string): FoundRecord[] {
  const labels = new Map(texts.map((text, i) => [text, `record ${i + 1} ${where}`.trimEnd()]))
  for (const { server, texts = [] } of hops.flatMap(hop => hop.servers))
    for (const text of texts)
      if (!labels.has(text)) labels.set(text, `${server}, which the receiver's DNS server does not have`)
  return [...labels].map(([text, label]) => ({ text, label }))
}

/** Describes the key that one TXT record publishes. */
function describeRecord(text: string, limits: KeyLimits): string {
  const parsed = parseKey(text, limits)
  if (parsed.ok) return `a good ${parsed.value.record.type} key of ${parsed.value.key.bits} bits`
  return looksLikeKeyRecord(text) ? describeFailure(parsed) : 'not a key record'
}

/** Facts that the report has in lines of their own. */
const IN_REPORT: ReadonlySet<FactId> = new Set(['name', 'servers', 'record', 'correctedRecord'])

function describeFailure(failure: Failed): string {
  const facts = factsOn(failure, THIS_CLOCK).filter(({ id }) => !IN_REPORT.has(id))
  return [`${failure.code}: ${failure.message}`, ...facts.map(factText)].join('; ')
}

/**
 * Writes the lines for a person, as printable ASCII in 80 columns: who signed the request, the conclusion, the reply of
 * the resolver, the replies of the name servers.
 */
export function reportLines(report: KeyReport, servers: readonly string[]): Line[] {
  const { name, request, conclusion, status, problem, records, trace } = report
  const printed = new Set(records.map(({ text }) => text))
  const asked = `DNS server ${servers.join(', ')}`
  return [
    ...(request ? [wrapWords('', request.text), ''] : []),
    wrapWords('', conclusion.text),
    '',
    withTone(TONES[status], status, `${status}: ${name}`),
    ...lines({ asked, problem, ...(trace && describeResolver(trace)) }),
    ...records.flatMap(({ is, text, corrected }, i) => [
      `\n${wrapWords(`record ${i + 1}: `, is)}`,
      wrapExact('  text: ', escapeText(text, 2000)),
      ...(corrected === undefined ? [] : [wrapExact('  corrected record: ', escapeText(corrected, MAX_RECORD_LENGTH))])
    ]),
    ...(trace?.hops ?? []).flatMap(({ name, zone = 'unknown', servers }: Hop) => [
      '',
      aside(wrapWords('-- ', escapeText(`${name}, in the zone ${zone}`, 1000))),
      ...servers.map(server => wrapWords('  ', escapeText(describeServer(server, printed), 2000)))
    ])
  ]
}

function describeResolver({ ttl, isAuthenticated, isBogus }: Trace) {
  const at = new Date(Date.now() + (ttl ?? 0) * 1000).toISOString().slice(0, 19)
  const again = ttl === undefined ? undefined : `in ${seconds(ttl)}, at ${at}Z`
  const signed = isAuthenticated ? 'authenticated' : 'not authenticated'
  return { 'asks again': again, dnssec: isBogus ? 'fails, and replies when it is asked not to validate' : signed }
}

/** Writes one line of the table of name servers; a record is in the first line that has it. */
function describeServer(report: ServerReport, printed: Set<string>): string {
  const { server, address, serial, error, alias, texts = [], isAbsent } = report
  const at = `${server} (${address}): `
  if (error !== undefined) return `${at}no answer, ${isNotAsked(error) ? NOT_ASKED[error] : inWords(error)}`
  const start = `${at}serial ${serial ?? 'unknown'}, `
  if (alias) return `${start}an alias of ${alias}`
  if (texts.length === 0) return start + (isAbsent ? 'no such name' : 'no TXT record')
  const others = texts.filter(text => !printed.has(text))
  for (const text of others) printed.add(text)
  return start + (others.length > 0 ? others.join(', ') : 'the record above')
}

/** Writes the given texts, each in lines of its own. */
const lines = (about: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(about)
    .filter(([, value]) => value !== undefined)
    .map(([label, value]) => wrapWords(`  ${label}: `, escapeText(String(value), 1000)))
