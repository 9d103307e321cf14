import { mutatedRequests } from '../fuzz/mutated.ts'
import { ACCOUNTS, HOSTS, NOW_SECONDS } from '../fuzz/signed.ts'
import { decodePoint } from '../support/big-integer.ts'
import type { RequestBatch } from './program/batch.ts'
import type { Project } from './project.ts'
import { compileProgram, RUNTIMES } from './runtimes.ts'

/** Judges a batch on one runtime. */
export interface Judge {
  name: string
  judge(batch: RequestBatch): Promise<readonly string[]>
}

export async function startJudges(project: Project): Promise<Judge[]> {
  const program = await compileProgram(project)
  const judging = RUNTIMES.filter(runtime => ['node-24', 'bun', 'deno', 'workerd'].includes(runtime.package))
  return judging.map(runtime => ({ name: runtime.name, judge: batch => program.run(runtime, 'requests', batch) }))
}

/** Holds the result of the same requests on all of the runtimes. */
export interface Differences {
  judged: number
  verified: number
  /** requests on which they differ for the one known reason */
  explained: number
  /** JSON of the first few requests on which the runtimes differ, with the verdicts */
  found: readonly string[]
}

const OPTIONS: RequestBatch['options'] = {
  serviceDomain: 'service.example',
  hosts: HOSTS,
  accounts: ACCOUNTS,
  algorithms: ['rsa-sha256', 'rsa-sha512', 'hs2019', 'ed25519', 'rsa-v1_5-sha256', 'rsa-pss-sha512']
}

/** Has all runtimes judge the requests of these seeds, and compares them with the first runtime. */
export async function findDifferences(judges: readonly Judge[], seeds: readonly number[]): Promise<Differences> {
  const mutated = seeds.flatMap(mutatedRequests)
  const batch: RequestBatch = {
    options: OPTIONS,
    now: NOW_SECONDS * 1000,
    requests: mutated.map(({ arrived, records }) => ({
      ...arrived,
      body: arrived.body.toString('base64'),
      records: Object.fromEntries(records)
    }))
  }
  const verdicts = await Promise.all(judges.map(({ judge }) => judge(batch)))
  const [first = []] = verdicts
  const all = batch.requests.map((request, at) => {
    const byName = Object.fromEntries(judges.map(({ name }, i) => [name, verdicts[i]![at]]))
    return { seed: seeds[Math.floor(at / (mutated.length / seeds.length))], byName, request }
  })
  const differing = all.filter(({ byName }, at) => {
    return Object.values(byName).some(verdict => verdict === undefined || verdict !== first[at])
  })
  const found = differing.filter(({ byName }) => !isExplained(byName)).map(each => JSON.stringify(each))
  const verified = first.filter(verdict => verdict.startsWith('{"status":"verified"')).length
  return { judged: mutated.length, verified, explained: differing.length - found.length, found }
}

/**
 * Allows the one remaining difference between runtimes: 32 bytes that are not a point of the curve. Deno refuses to
 * import them, the others import them and verify nothing with them. All refuse the request, with different codes.
 */
export function isExplained(verdicts: Readonly<Record<string, string | undefined>>): boolean {
  const { deno, ...others } = verdicts
  const [other, ...further] = Object.values(others)
  if (further.some(verdict => verdict !== other)) return false
  const [unreadable, ...more] = failuresOf(deno)
  const isOfDeno = unreadable?.code === 'key-unreadable' && isOffCurve(unreadable.evidence?.record ?? '')
  const codes = failuresOf(other).map(({ code }) => code)
  return isOfDeno && more.length === 0 && codes.join() === 'signature-mismatch'
}

type Failures = readonly { code: string; evidence?: { record?: string } }[]

/** Returns the failures of a rejected request. */
function failuresOf(verdict: string | undefined): Failures {
  if (!verdict?.startsWith('{"status":"rejected"')) return []
  return (JSON.parse(verdict) as { failures: Failures }).failures
}

function isOffCurve(record: string): boolean {
  const p = /(?:^|;)\s*p\s*=([^;]*)/.exec(record)?.[1]?.replace(/\s+/g, '') ?? ''
  const bytes = Buffer.from(p, 'base64')
  return /k\s*=\s*ed25519/.test(record) && bytes.length === 32 && decodePoint(bytes) === undefined
}
