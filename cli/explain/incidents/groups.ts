import { CODES, GATEWAY_CODES } from '../../../src/internal/index.ts'
import type { Incident } from './log-lines.ts'

/** Says who signed: the published key, an unknown party that claims to be the service, or nobody under its domain. */
export type Signer = 'key' | 'claimed'

/** Refused requests that claim to be the service's, with one code, one signer and one value of what differs. */
export interface Group {
  readonly code: string
  readonly signer: Signer
  /** the key, host or account by which requests with this code differ; undefined where nothing does */
  readonly differs: Differing | undefined
  count: number
  /** milliseconds since 1970 */
  first: number | undefined
  last: number | undefined
  /** the number of verified requests before the first of these */
  readonly verifiedBefore: number
  /** the likely cause of the first one of which the log says it, and its fix */
  advice: Incident['advice']
  /** where the first one is that can be read, such as the name of a file */
  example: string | undefined
}

export interface Differing {
  readonly name: 'key' | 'host' | 'account'
  readonly value: string
}

/** Holds the findings, bounded whatever was sent. */
export interface Incidents {
  readonly groups: readonly Group[]
  readonly verified: number
  /** requests that the service has not signed: without a signature under its domain, or by another key */
  readonly unsigned: number
  readonly forged: number
  /** requests that are left out because neither they nor their logger have a time */
  readonly undated: number
  /** files of a recorder that are damaged: they count by their names */
  readonly unreadable?: number
  /** files of a recorder that are not read, because there are too many */
  readonly older?: number
  /** lines that the gateway dropped, because the reader of its log had stalled */
  readonly dropped?: number
  /** lines that are too long to be read */
  readonly tooLong?: number
}

/**
 * Limits the groups of each signer: anybody can claim any number of key names. Groups of the published key have a limit
 * of their own, so that nobody else can use it up. Requests beyond the limit are counted by their code alone.
 */
const MAX_GROUPS = 500

/** Limits the codes that this version does not know: others are counted together. */
const MAX_UNKNOWN_CODES = 100

/** Codes that a request can get only after its signature has verified. */
const AFTER_SIGNATURE: ReadonlySet<string> = new Set([
  'account-check-failed',
  'digest-mismatch',
  'body-too-large',
  'body-unreadable',
  'replayed',
  'replay-store-failed'
])

/** Collects incidents in one pass. `since` leaves out earlier ones. */
export function createCollection(since: number | undefined) {
  const groups = new Map<string, Group>()
  const sizes = { key: 0, claimed: 0 }
  const unknownCodes = new Set<string>()
  let verified = 0
  let unsigned = 0
  let forged = 0
  let undated = 0

  function groupOf(incident: Incident, code: string, signer: Signer, example: string | undefined): Group {
    const differs = differingOf(incident, code)
    const name = [signer, code, differs?.value ?? ''].join('\n')
    const known = groups.get(name)
    if (known !== undefined) return known
    const isFull = differs !== undefined && sizes[signer] >= MAX_GROUPS
    const rest = [signer, code, '\n'].join('\n')
    if (isFull && groups.has(rest)) return groups.get(rest)!
    const group: Group = {
      ...{ code, signer, differs: isFull ? undefined : differs, count: 0, first: undefined, last: undefined },
      verifiedBefore: verified,
      advice: undefined,
      example
    }
    groups.set(isFull ? rest : name, group)
    if (!isFull && differs !== undefined) sizes[signer] += 1
    return group
  }

  /** Returns the code, or one word for all that are beyond the limit. */
  function boundedCode(code: string): string {
    if (isKnown(code) || unknownCodes.has(code)) return code
    if (unknownCodes.size >= MAX_UNKNOWN_CODES) return 'other'
    unknownCodes.add(code)
    return code
  }

  return {
    add(incident: Incident, example?: string): void {
      const { time, code, signedUnderDomain, madeByKey, leftOut } = incident
      const count = 1 + leftOut
      if (since !== undefined && time === undefined) undated += count
      if (since !== undefined && (time === undefined || time < since)) return
      if (code === undefined) verified += count
      else if (!signedUnderDomain) unsigned += count
      else if (code === 'signature-mismatch' && madeByKey === false) forged += count
      else {
        const signer = madeByKey === true || AFTER_SIGNATURE.has(code) ? 'key' : 'claimed'
        const group = groupOf(incident, boundedCode(code), signer, example)
        group.count += count
        group.example ??= example
        group.advice ??= incident.advice
        if (time !== undefined) {
          group.first = Math.min(group.first ?? time, time)
          group.last = Math.max(group.last ?? time, time)
        }
      }
    },
    result: (): Incidents => ({ groups: [...groups.values()].sort(byImportance), verified, unsigned, forged, undated })
  }
}

/** Sorts what the published key signed before what only claims so, and then the largest first. */
const byImportance = (a: Group, b: Group): number =>
  Number(b.signer === 'key') - Number(a.signer === 'key') || b.count - a.count

const isKnown = (code: string): boolean => Object.hasOwn(CODES, code) || Object.hasOwn(GATEWAY_CODES, code)

/** Returns the key, host or account by which requests with this code differ. */
function differingOf({ keyId, host, accountId }: Incident, code: string): Differing | undefined {
  const check: string = Object.hasOwn(CODES, code) ? CODES[code as keyof typeof CODES].check : ''
  if (check === 'host') return host === undefined ? undefined : { name: 'host', value: host }
  if (check === 'account') return accountId === undefined ? undefined : { name: 'account', value: accountId }
  const isOfKey = check === 'key' || check === 'key-name' || check === 'signature'
  return isOfKey && keyId !== undefined ? { name: 'key', value: keyId } : undefined
}
