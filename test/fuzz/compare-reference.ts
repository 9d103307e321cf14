import { refusal } from '../../fixtures/source/reference-verifier.ts'
import { createVerifier } from '../../src/index.ts'
import { mutatedRequests } from './mutated.ts'
import { ACCOUNTS, HOSTS, NOW_SECONDS } from './signed.ts'

/** Sums up the verdicts on the requests of some seeds, by the draft. */
export interface Comparison {
  judged: number
  verified: number
  /** number of requests that only the reference accepts, because it has fewer checks */
  referenceOnly: number
  /** requests that only the library verifies, as JSON */
  libraryOnly: readonly string[]
}

const ALGORITHMS = ['rsa-sha256', 'rsa-sha512', 'hs2019', 'ed25519'] as const

/** A verifier that shares no code with the library must verify whatever the library verifies by the draft. */
export async function compareWithReference(seeds: Iterable<number>): Promise<Comparison> {
  let records: ReadonlyMap<string, readonly string[]> = new Map()
  const verify = createVerifier({
    serviceDomain: 'service.example',
    hosts: HOSTS,
    accounts: ACCOUNTS,
    algorithms: [...ALGORITHMS],
    now: () => NOW_SECONDS * 1000,
    lookupTxt: async name => (records.get(name) ?? []).map(record => [record])
  })
  const libraryOnly: string[] = []
  let [judged, verified, referenceOnly] = [0, 0, 0]
  for (const seed of seeds) {
    for (const { arrived, records: own } of mutatedRequests(seed)) {
      records = own
      const verdict = await verify(arrived)
      const reason = refusal(arrived, {
        serviceDomain: 'service.example',
        hosts: HOSTS,
        accounts: ACCOUNTS,
        algorithms: ALGORITHMS,
        nowSeconds: NOW_SECONDS,
        txt: name => own.get(name) ?? []
      })
      judged += 1
      const isVerified = verdict.status === 'verified'
      if (isVerified) verified += 1
      if (!isVerified && reason === undefined) referenceOnly += 1
      if (isVerified && reason !== undefined)
        libraryOnly.push(JSON.stringify({ seed, reason, ...arrived, body: arrived.body.toString('base64') }))
    }
  }
  return { judged, verified, referenceOnly, libraryOnly }
}
