import { findProblem, isRecordCode, type RecordProblem } from '../../explain/record-mistakes.ts'
import type { KeyLimits } from '../../index.ts'
import { parseKey } from '../../key/cache.ts'
import { looksLikeKeyRecord } from '../../key/record.ts'
import { EXIT } from '../command.ts'
import type { Finding } from './findings.ts'
import type { Hop, ServerReport, Trace } from './trace.ts'

/** What the receiver's own lookup said. */
export interface Resolved {
  /** of each TXT record */
  readonly texts: readonly string[]
  /** code, message and reason, where there are no records */
  readonly failure: string | undefined
  /** nobody could say whether there are records */
  readonly isUnavailable: boolean
}

export function statusOf({ texts, isUnavailable }: Resolved, limits: KeyLimits) {
  if (isUnavailable) return 'unavailable'
  return texts.length > 0 && problemOf(texts, limits) === undefined ? 'usable' : 'unusable'
}

/** What follows from all that was collected. Names in it come from outside: escape them. */
export type Conclusion =
  | { readonly kind: 'resolver-has-key' | 'resolver-has-none' }
  | { readonly kind: 'published'; readonly servers: number }
  | { readonly kind: 'bad-record'; readonly problem: RecordProblem }
  | { readonly kind: 'resolver-has-old'; readonly has: 'none' | 'another'; readonly ttl: number | undefined }
  | { readonly kind: 'withdrawn'; readonly zone: string; readonly ttl: number | undefined }
  | {
      readonly kind: 'servers-differ'
      readonly zone: string
      readonly one: ServerReport
      readonly other: ServerReport
    }
  | { readonly kind: 'server-fails'; readonly zone: string; readonly report: ServerReport }
  | {
      readonly kind: 'not-published'
      readonly zone: string
      readonly name: string
      readonly isAlias: boolean
    }
  | {
      readonly kind: 'servers-private' | 'servers-unreachable'
      readonly zone: string
      readonly hasKey: boolean
    }
  | { readonly kind: 'no-server-answers'; readonly zone: string }
  | { readonly kind: 'signatures-invalid'; readonly zone: string | undefined }
  | { readonly kind: 'alias-circle' | 'too-many-aliases'; readonly names: readonly string[] }
  | { readonly kind: 'resolver-fails' | 'resolver-unreachable'; readonly error: string }

/** What is wrong with the records; undefined where one of them is a key. */
function problemOf(texts: readonly string[], limits: KeyLimits): RecordProblem | undefined {
  const keys = texts.filter(looksLikeKeyRecord).map(text => parseKey(text, limits))
  if (keys.some(key => key.ok)) return undefined
  const code = keys.map(key => (key.ok ? '' : key.code)).find(isRecordCode)
  return findProblem(code ?? 'key-not-found', texts)
}

/** Who has to do what, from the resolver's answer and what the name servers say. */
export function conclude(resolved: Resolved, trace: Trace | undefined, limits: KeyLimits): Conclusion {
  const { texts, isUnavailable, failure: error = '' } = resolved
  const problem = texts.length > 0 ? problemOf(texts, limits) : undefined
  const hasKey = texts.length > 0 && problem === undefined
  const resolvedAlone = (): Conclusion => {
    if (isUnavailable) return { kind: 'resolver-fails', error }
    if (problem !== undefined) return { kind: 'bad-record', problem }
    return { kind: texts.length > 0 ? 'resolver-has-key' : 'resolver-has-none' }
  }
  if (trace === undefined) return resolvedAlone()
  const { resolver, hops, end, misplaced } = trace
  const names = hops.map(({ name }) => name)
  if (end === 'circle') return { kind: 'alias-circle', names }
  if (end === 'too-many-aliases') return { kind: 'too-many-aliases', names }
  const { name, zone, servers } = hops.at(-1)!
  if (resolver.isBogus) return { kind: 'signatures-invalid', zone }
  const difference = firstDifference(hops)
  if (difference !== undefined) return difference

  const answers = servers.filter(({ finding }) => isAnswer(finding))
  if (answers.length === 0 || zone === undefined) {
    // A resolver that has named the zone is reached: it waits for the name servers.
    if (zone === undefined)
      return isUnavailable && resolver.finding.found === 'no-reply'
        ? { kind: 'resolver-unreachable', error }
        : resolvedAlone()
    const isAsked = servers.some(({ finding }) => finding.found !== 'not-asked')
    if (servers.length > 0 && !isAsked) return { kind: 'servers-private', zone, hasKey }
    return isUnavailable ? { kind: 'no-server-answers', zone } : { kind: 'servers-unreachable', zone, hasKey }
  }

  const { finding } = answers[0]!
  if (finding.found !== 'record') {
    if (texts.length > 0) return { kind: 'withdrawn', zone, ttl: resolver.ttl }
    if (misplaced !== undefined) return { kind: 'bad-record', problem: { mistake: 'zone-appended', at: misplaced } }
    return { kind: 'not-published', zone, name, isAlias: hops.length > 1 || finding.found === 'alias' }
  }
  const published = problemOf(finding.texts, limits)
  if (published !== undefined) return { kind: 'bad-record', problem: published }
  if (isUnavailable) return { kind: 'resolver-fails', error }
  const { ttl } = resolver
  if (texts.length === 0) return { kind: 'resolver-has-old', has: 'none', ttl }
  if (isAnswer(resolver.finding) && contentOf(resolver.finding) !== contentOf(finding))
    return { kind: 'resolver-has-old', has: 'another', ttl }
  const report = hops.flatMap(hop => hop.servers).find(({ finding }) => isFault(finding))
  if (report !== undefined) return { kind: 'server-fails', zone, report }
  return { kind: 'published', servers: new Set(answers.map(({ server }) => server)).size }
}

const isAnswer = ({ found }: Finding): boolean => ['record', 'alias', 'none', 'no-such-name'].includes(found)

/** Failures of the network here, or limits of our own, are no fault of the server. */
const isFault = (finding: Finding): boolean =>
  finding.found === 'refusal' ||
  (finding.found === 'no-reply' && !['EBUDGET', 'ENETUNREACH', 'EHOSTUNREACH'].includes(finding.error))

/** Two servers that say the same have the same content. */
function contentOf(finding: Finding): string {
  if (finding.found === 'record') return JSON.stringify([...finding.texts].sort())
  return finding.found === 'alias' ? finding.target : ''
}

function firstDifference(hops: readonly Hop[]): Conclusion | undefined {
  for (const { zone = '', servers } of hops) {
    const [one, ...others] = servers.filter(({ finding }) => isAnswer(finding))
    const other = others.find(({ finding }) => contentOf(finding) !== contentOf(one!.finding))
    if (one !== undefined && other !== undefined) return { kind: 'servers-differ', zone, one, other }
  }
  return undefined
}

/** 0: the resolver has a good key; 1: it has none, or never will; 2: nobody could be asked. */
export function exitCodeOf(resolved: Resolved, { kind }: Conclusion, limits: KeyLimits): number {
  const status = statusOf(resolved, limits)
  if (status === 'usable') return EXIT.ok
  const isDecided = kind === 'signatures-invalid' || kind === 'alias-circle'
  return status === 'unusable' || isDecided ? EXIT.refused : EXIT.unknown
}
